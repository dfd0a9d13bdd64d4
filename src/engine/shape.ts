/** A dimension: a size known when the graph is built, or a name bound to a size at each run. */
export type Dim = number | string;

export type Shape = readonly Dim[];

export type DType = 'float32' | 'float16' | 'int32' | 'int64' | 'bool';

/** Numbers fixed when the graph is built. */
export interface ConstantTensor {
  shape: readonly number[];
  data: Float32Array | Int32Array | BigInt64Array | Int8Array | Uint8Array;
}

/** `[batch, 384]` */
export function formatShape(shape: Shape): string {
  return `[${shape.join(', ')}]`;
}

export function sameShape(a: Shape, b: Shape): boolean {
  return a.length === b.length && a.every((dim, axis) => dim === b[axis]);
}

/** How many numbers a tensor of this shape holds: 1 where it has no dimensions. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** The product of dimensions; a name such as `batch*12` when one of them is named. */
export function productOf(dims: Shape): Dim {
  let size = 1;
  const names: string[] = [];
  for (const dim of dims) {
    if (typeof dim === 'number') size *= dim;
    else names.push(dim);
  }
  if (names.length === 0) return size;
  return [...names, ...(size === 1 ? [] : [size])].join('*');
}

/** The shape of an elementwise result by the broadcasting rule of NumPy and ONNX. */
export function broadcast(a: Shape, b: Shape): Dim[] {
  const rank = Math.max(a.length, b.length);
  const result: Dim[] = [];
  for (let i = 0; i < rank; i++) {
    const left = a[a.length - rank + i] ?? 1;
    const right = b[b.length - rank + i] ?? 1;
    if (left !== right && left !== 1 && right !== 1) {
      throw new Error(`Shapes do not broadcast: ${formatShape(a)} and ${formatShape(b)}`);
    }
    result.push(left === 1 ? right : left);
  }
  return result;
}

/** Makes a possibly negative axis count from the front. */
export function positiveAxis(axis: number, rank: number): number {
  const positive = axis < 0 ? axis + rank : axis;
  if (positive < 0 || positive >= rank)
    throw new Error(`Axis ${axis} does not exist in a tensor of rank ${rank}`);
  return positive;
}

/** Whether a dimension's size is known when the graph is built. */
export function isSize(dim: Dim): dim is number {
  return typeof dim === 'number';
}
