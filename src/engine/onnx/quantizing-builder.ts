import type { ConstantTensor } from '../shape.js';
import { OnnxBuilder, type OnnxNode } from './builder.js';

/** Smaller tables save nothing worth their error. */
const SMALLEST_TABLE = 1000;
/** Unsigned codes lie around this. */
const MIDDLE = 128;
const LARGEST_CODE = 127;
/** Columns come last in the rows that were looked up. */
const LAST_AXIS = -1;
/** ONNX's number of float32. */
const FLOAT = 1;

export interface QuantizeOptions {
  /**
   * Codes of linear layers around zero, which processors with VNNI multiply twice as fast. Others add up two products of
   * unsigned activations and signed weights in 16 bits, which may overflow ({@link signedProductsAreExact}). Default: unsigned,
   * which is right everywhere.
   */
  signed?: boolean;
}

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
  readonly #signed: boolean;
  /** Matrices whose use decides how they are written. */
  readonly #held = new Map<string, Matrix>();
  readonly #written = new Set<string>();
  /** Quantised activations by their value: several layers read the same. */
  readonly #inputs = new Map<string, QuantizedInput>();

  constructor({
    signed = false,
    ...options
  }: ConstructorParameters<typeof OnnxBuilder>[0] & QuantizeOptions) {
    super(options);
    this.#signed = signed;
  }

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
      const { values, scales } = quantizeRows(weight, this.#signed);
      const [rows, columns] = weight.shape;
      const zero = this.#signed ? Int8Array.of(0) : Uint8Array.of(MIDDLE);
      super.initializer(codes, { shape: [columns, rows], data: values });
      super.initializer(`${name}_scale`, { shape: [rows], data: scales });
      super.initializer(`${name}_zero_point`, { shape: [], data: zero });
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
      const { values, scales } = quantizeColumns(table);
      const shape = [scales.length];
      super.initializer(codes, { shape: table.shape, data: values });
      super.initializer(`${name}_scale`, { shape, data: scales });
      super.initializer(`${name}_zero_point`, { shape, data: new Uint8Array(scales.length).fill(MIDDLE) });
    });
    const rows = this.value('Gather', [codes, ids], attributes);
    super.node({
      type: 'DequantizeLinear',
      inputs: [rows, `${name}_scale`, `${name}_zero_point`],
      outputs,
      attributes: { axis: LAST_AXIS },
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

/** Codes of a matrix and the scales of its columns. */
interface Quantized {
  values: Uint8Array | Int8Array;
  scales: Float32Array;
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
function quantizeRows({ shape: [rows, columns], data }: Matrix, signed: boolean): Quantized {
  const values = signed ? new Int8Array(data.length) : new Uint8Array(data.length);
  const zero = signed ? 0 : MIDDLE;
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    let largest = 0;
    for (let i = row * columns; i < (row + 1) * columns; i++) largest = Math.max(largest, Math.abs(data[i]));
    scales[row] = largest / LARGEST_CODE || 1;
    for (let column = 0; column < columns; column++) {
      values[column * rows + row] = zero + Math.round(data[row * columns + column] / scales[row]);
    }
  }
  return { values, scales };
}

/** Each column by its own scale: some of a model's dimensions are far larger than the others. */
function quantizeColumns({ shape: [rows, columns], data }: Matrix): Quantized {
  const scales = new Float32Array(columns);
  for (let i = 0; i < data.length; i++) {
    const column = i % columns;
    scales[column] = Math.max(scales[column], Math.abs(data[i]));
  }
  for (let column = 0; column < columns; column++) scales[column] = scales[column] / LARGEST_CODE || 1;
  const values = new Uint8Array(rows * columns);
  for (let i = 0; i < data.length; i++) values[i] = MIDDLE + Math.round(data[i] / scales[i % columns]);
  return { values, scales };
}
