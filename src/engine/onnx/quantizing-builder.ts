import type { ConstantTensor } from '../shape.js';
import { OnnxBuilder, type OnnxNode } from './builder.js';

/** Smaller tables save nothing worth their error. */
const SMALLEST_TABLE = 1000;
/**
 * 7 bits of weights: without VNNI, processors add up two products of 8-bit activations and weights in 16 bits, which
 * full 8 bits would overflow.
 */
const LARGEST_WEIGHT = 63;
const LARGEST_CODE = 255;
/** ONNX's number of float32. */
const FLOAT = 1;

interface Matrix {
  shape: readonly number[];
  data: Float32Array;
}

/**
 * Writes weights in 8 bits, as ONNX Runtime's dynamic quantizer does: linear layers multiply integers (activations are
 * quantised as they come, weights by column), and rows of large tables are looked up as integers. All else stays as it
 * is. Transformers.js calls such a file `q8`.
 */
export class QuantizingBuilder extends OnnxBuilder {
  /** Matrices whose use decides how they are written. */
  readonly #held = new Map<string, Matrix>();
  readonly #written = new Set<string>();
  /** Quantised activations by their value: several layers read the same. */
  readonly #inputs = new Map<string, QuantizedInput>();

  override initializer(name: string, tensor: ConstantTensor): void {
    const { shape, data } = tensor;
    if (shape.length === 2 && data instanceof Float32Array) this.#held.set(name, { shape, data });
    else super.initializer(name, tensor);
  }

  override node(node: OnnxNode): void {
    const { type, inputs, attributes = {} } = node;
    const weight = this.#held.get(inputs[1]);
    const table = this.#held.get(inputs[0]);
    if (type === 'Gemm' && weight && isLinear(attributes)) this.#linear(node, weight);
    else if (type === 'Gather' && table && table.shape[0] >= SMALLEST_TABLE) this.#rows(node, table);
    else {
      for (const name of inputs) this.#writeAsIs(name);
      super.node(node);
    }
  }

  #linear({ inputs: [x, name, bias], outputs }: OnnxNode, weight: Matrix): void {
    const codes = `${name}_quantized`;
    this.#once(codes, () => {
      const { values, scales } = quantizeRows(weight);
      const [rows, columns] = weight.shape;
      super.initializer(codes, { shape: [columns, rows], data: values });
      super.initializer(`${name}_scale`, { shape: [rows], data: scales });
      super.initializer(`${name}_zero_point`, { shape: [], data: new Int8Array(1) });
    });
    const input = this.#quantized(x);
    const product = this.value('MatMulInteger', [input.codes, codes, input.zeroPoint, `${name}_zero_point`]);
    const scale = this.value('Mul', [input.scale, `${name}_scale`]);
    const floats = this.value('Cast', [product], { to: FLOAT });
    if (bias === undefined) super.node({ type: 'Mul', inputs: [floats, scale], outputs });
    else super.node({ type: 'Add', inputs: [this.value('Mul', [floats, scale]), bias], outputs });
  }

  #rows({ inputs: [name, ids], outputs, attributes = {} }: OnnxNode, table: Matrix): void {
    const codes = `${name}_quantized`;
    this.#once(codes, () => {
      const { values, scale, zeroPoint } = quantizeTable(table);
      super.initializer(codes, { shape: table.shape, data: values });
      super.initializer(`${name}_scale`, { shape: [], data: Float32Array.of(scale) });
      super.initializer(`${name}_zero_point`, { shape: [], data: Uint8Array.of(zeroPoint) });
    });
    const rows = this.value('Gather', [codes, ids], attributes);
    super.node({
      type: 'DequantizeLinear',
      inputs: [rows, `${name}_scale`, `${name}_zero_point`],
      outputs,
    });
  }

  #quantized(x: string): QuantizedInput {
    const known = this.#inputs.get(x);
    if (known) return known;
    const [codes, scale, zeroPoint] = [this.temporary(), this.temporary(), this.temporary()];
    super.node({ type: 'DynamicQuantizeLinear', inputs: [x], outputs: [codes, scale, zeroPoint] });
    this.#inputs.set(x, { codes, scale, zeroPoint });
    return { codes, scale, zeroPoint };
  }

  #writeAsIs(name: string): void {
    const matrix = this.#held.get(name);
    if (matrix) this.#once(name, () => super.initializer(name, matrix));
  }

  #once(name: string, write: () => void): void {
    if (this.#written.has(name)) return;
    this.#written.add(name);
    write();
  }
}

interface QuantizedInput {
  codes: string;
  scale: string;
  zeroPoint: string;
}

/** x·Wᵀ as it stands, not scaled. */
function isLinear({ transA = 0, transB = 0, alpha }: NonNullable<OnnxNode['attributes']>): boolean {
  const factor = typeof alpha === 'object' && 'float' in alpha ? alpha.float : 1;
  return transA === 0 && transB === 1 && factor === 1;
}

/** Each row by its own scale around zero, transposed: what was a row is a column. */
function quantizeRows({ shape: [rows, columns], data }: Matrix): { values: Int8Array; scales: Float32Array } {
  const values = new Int8Array(data.length);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    let largest = 0;
    for (let i = row * columns; i < (row + 1) * columns; i++) largest = Math.max(largest, Math.abs(data[i]));
    scales[row] = largest / LARGEST_WEIGHT || 1;
    for (let column = 0; column < columns; column++) {
      values[column * rows + row] = Math.round(data[row * columns + column] / scales[row]);
    }
  }
  return { values, scales };
}

/** All by one scale, 0 exact. */
function quantizeTable({ data }: Matrix): { values: Uint8Array; scale: number; zeroPoint: number } {
  let [lowest, highest] = [0, 0];
  for (const value of data) {
    if (value < lowest) lowest = value;
    else if (value > highest) highest = value;
  }
  const scale = Math.fround((highest - lowest) / LARGEST_CODE) || 1;
  const zeroPoint = Math.round(-lowest / scale);
  const values = new Uint8ClampedArray(data.length);
  for (let i = 0; i < data.length; i++) values[i] = Math.round(data[i] / scale) + zeroPoint;
  return { values: new Uint8Array(values.buffer), scale, zeroPoint };
}
