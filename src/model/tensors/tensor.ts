/** A tensor in row-major order, under the name it has in a weights file. */
export interface NamedTensor {
  name: string;
  shape: number[];
  data: Float32Array;
}

/** How many elements a shape holds; 1 for a scalar's empty shape. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** `[30522, 384]` for messages. */
export function formatShape(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}

export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, axis) => size === b[axis]);
}
