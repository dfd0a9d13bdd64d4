/** A matrix in 8 bits, as ONNX Runtime's quantizer makes it. */
export interface QuantizedMatrix {
  shape: readonly [rows: number, columns: number];
  codes: Int8Array | Uint8Array;
  /** One, or one a column. */
  scales: Float32Array;
  zeros: number[];
  /** What the codes stand for. */
  values: Float32Array;
}

export interface QuantizeOptions {
  /**
   * int8 around zero, of which 7 bits are used: without VNNI, processors add up products of 8 bits in 16, and the runtime's
   * own result overflows. Else uint8 with a zero point.
   */
  signed: boolean;
  perColumn: boolean;
}

export function quantizeMatrix(
  matrix: Float32Array,
  shape: readonly [number, number],
  { signed, perColumn }: QuantizeOptions,
): QuantizedMatrix {
  const [, columns] = shape;
  const groups = perColumn ? columns : 1;
  const groupOf = (i: number): number => (perColumn ? i % columns : 0);
  const [lowest, highest] = [new Float32Array(groups), new Float32Array(groups)];
  for (const [i, value] of matrix.entries()) {
    lowest[groupOf(i)] = Math.min(lowest[groupOf(i)], value);
    highest[groupOf(i)] = Math.max(highest[groupOf(i)], value);
  }
  const scales = lowest.map((low, group) =>
    signed ? Math.max(-low, highest[group]) / 63 : (highest[group] - low) / 255,
  );
  const zeros = Array.from(lowest, (low, group) => (signed ? 0 : Math.round(-low / scales[group])));
  const codes = new (signed ? Int8Array : Uint8Array)(matrix.length);
  const values = new Float32Array(matrix.length);
  const [least, most] = signed ? [-63, 63] : [0, 255];
  for (const [i, value] of matrix.entries()) {
    const group = groupOf(i);
    codes[i] = Math.min(most, Math.max(least, Math.round(value / scales[group]) + zeros[group]));
    values[i] = (codes[i] - zeros[group]) * scales[group];
  }
  return { shape, codes, scales, zeros, values };
}
