/** A tensor in row-major order, under the name it has in a weights file. */
export interface NamedTensor {
  name: string;
  shape: number[];
  data: Float32Array;
}
