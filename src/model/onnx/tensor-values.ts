import { NearmissError } from '../../base/errors.js';
import type { RandomAccessFile } from '../../base/random-access-file.js';
import { formatShape, sizeOf } from '../../engine/shape.js';
import { FLOAT_BYTES, type FloatType, readFloats } from '../tensors/float-storage.js';
import type { OnnxFile, OnnxTensor } from './onnx-file.js';

/** TensorProto.DataType of what can be read as floats. */
const FLOAT_TYPES = new Map<number, FloatType>([
  [1, 'f32'],
  [10, 'f16'],
  [11, 'f64'],
  [16, 'bf16'],
]);

const [UINT8, INT8, INT32] = [2, 3, 6];
const INTEGER_ARRAYS = { [UINT8]: Uint8Array, [INT8]: Int8Array, [INT32]: Int32Array };
type IntegerType = keyof typeof INTEGER_ARRAYS;

export function isFloat({ type }: OnnxTensor): boolean {
  return FLOAT_TYPES.has(type);
}

/** Whether a tensor holds 8-bit codes that a scale turns into weights. */
export function isCode({ type }: OnnxTensor): boolean {
  return type === UINT8 || type === INT8;
}

/** Reads a tensor's numbers, whole or not, as float32. */
export async function readTensor(
  model: OnnxFile,
  tensor: OnnxTensor,
  into?: Float32Array,
): Promise<Float32Array> {
  const count = sizeOf(tensor.shape);
  if (tensor.packed) {
    const integers = await model.unpack(tensor);
    checkLength(model, tensor, { expected: count, got: integers.length, what: 'numbers' });
    return filled(integers, into);
  }
  const { start } = tensor;
  const type = FLOAT_TYPES.get(tensor.type);
  if (type) {
    const file = await checkedFile(model, tensor, count * FLOAT_BYTES[type]);
    const values = into ?? new Float32Array(count);
    await readFloats({ file, start, type }, values);
    return values;
  }
  const Integers = integerArray(model, tensor);
  const file = await checkedFile(model, tensor, count * Integers.BYTES_PER_ELEMENT);
  const integers = new Integers(count);
  await file.readInto(new Uint8Array(integers.buffer), start);
  return filled(integers, into);
}

function filled(
  integers: ArrayLike<number>,
  into: Float32Array = new Float32Array(integers.length),
): Float32Array {
  into.set(integers);
  return into;
}

/** The file that holds a tensor, once it is known to hold this many bytes of it: nothing is allocated for less. */
async function checkedFile(model: OnnxFile, tensor: OnnxTensor, expected: number): Promise<RandomAccessFile> {
  const { start, end, location } = tensor;
  // External data may leave out their length.
  if (location === undefined || end > start) {
    checkLength(model, tensor, { expected, got: end - start, what: 'bytes' });
  }
  const file = await model.fileOf(tensor);
  if (!(start >= 0 && start + expected <= file.size)) throw file.truncated(start + expected);
  return file;
}

function integerArray(model: OnnxFile, { name, type }: OnnxTensor): (typeof INTEGER_ARRAYS)[IntegerType] {
  if (Object.hasOwn(INTEGER_ARRAYS, type)) return INTEGER_ARRAYS[type as IntegerType];
  throw new NearmissError(
    `${model.path}: tensor "${name}": expected floats or 8- or 32-bit integers, got ONNX's type ${type}`,
    { hint: 'export the model with weights in fp32, fp16 or int8' },
  );
}

function checkLength(
  model: OnnxFile,
  { name, shape }: OnnxTensor,
  { expected, got, what }: { expected: number; got: number; what: string },
): void {
  if (expected === got) return;
  throw new NearmissError(
    `${model.path}: tensor "${name}": ${formatShape(shape)} needs ${expected} ${what}, got ${got}`,
    { hint: 'the file is damaged: copy, download or export it again' },
  );
}
