import { sizeOf } from '../../engine/shape.js';
import type { OnnxFile, OnnxTensor } from './onnx-file.js';
import { isCode, isFloat, readTensor } from './tensor-values.js';

/** Numbers that the model holds: stored as they are, or to be worked out of what is stored. */
export interface Constant {
  /** What the stored tensor is called. */
  name: string;
  shape: readonly number[];
  /** `weight`: floats; `code`: 8-bit integers that await their scale; `other`: indices, shapes and the like. */
  kind: 'weight' | 'code' | 'other';
  /** Whether the numbers were rounded to 8 bits. */
  quantized: boolean;
  read(into?: Float32Array): Promise<Float32Array>;
}

export function stored(model: OnnxFile, tensor: OnnxTensor): Constant {
  const { name, shape } = tensor;
  return {
    name,
    shape,
    kind: isFloat(tensor) ? 'weight' : isCode(tensor) ? 'code' : 'other',
    quantized: false,
    read: (into) => readTensor(model, tensor, into),
  };
}

export interface Quantization {
  codes: Constant;
  /** One for all, or one for each place along `axis`. */
  scale: Constant;
  zeroPoint?: Constant;
  /** The last one unless told. */
  axis?: number;
}

/** (code − zero point) · scale; nothing where scale and codes do not fit together. */
export function dequantized({ codes, scale, zeroPoint, axis = -1 }: Quantization): Constant | undefined {
  const { name, shape } = codes;
  const along = axis < 0 ? shape.length + axis : axis;
  const [scaleCount, zeroCount] = [scale, zeroPoint ?? scale].map((constant) => sizeOf(constant.shape));
  if (scaleCount !== 1 && scaleCount !== shape[along]) return undefined;
  if (zeroCount !== 1 && zeroCount !== scaleCount) return undefined;
  const inner = sizeOf(shape.slice(along + 1));
  return {
    name,
    shape,
    kind: 'weight',
    quantized: true,
    async read(into) {
      const values = await codes.read(into);
      const scales = await scale.read();
      const zeros = (await zeroPoint?.read()) ?? new Float32Array(scales.length);
      const run = scales.length === 1 ? values.length : inner;
      for (let start = 0, place = 0; start < values.length; start += run, place++) {
        if (place === scales.length) place = 0;
        const zero = zeros.length === 1 ? zeros[0] : zeros[place];
        const factor = scales[place];
        for (let i = start; i < start + run; i++) values[i] = (values[i] - zero) * factor;
      }
      return values;
    },
  };
}

/** A matrix with rows for columns. */
export function transposed(matrix: Constant): Constant {
  const [rows, columns] = matrix.shape;
  return {
    ...matrix,
    shape: [columns, rows],
    async read(into = new Float32Array(rows * columns)) {
      const values = await matrix.read();
      for (let row = 0; row < rows; row++) {
        for (let column = 0; column < columns; column++) {
          into[column * rows + row] = values[row * columns + column];
        }
      }
      return into;
    },
  };
}

/** One of `count` equal parts of the last axis, as fused attention keeps query, key and value side by side. */
export function part(whole: Constant, index: number, count: number): Constant {
  const outer = whole.shape.slice(0, -1);
  const width = whole.shape[whole.shape.length - 1];
  const size = width / count;
  const rows = sizeOf(outer);
  return {
    ...whole,
    shape: [...outer, size],
    async read(into = new Float32Array(rows * size)) {
      const values = await whole.read();
      for (let row = 0; row < rows; row++) {
        const start = row * width + index * size;
        into.set(values.subarray(start, start + size), row * size);
      }
      return into;
    },
  };
}
