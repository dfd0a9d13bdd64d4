/**
 * The inner product of a vector with a row of several that come one after another. Four sums that do not wait for each
 * other.
 *
 * @param start where the row begins
 */
export function innerProduct(vector: Float32Array, rows: Float32Array, start = 0): number {
  const { length } = vector;
  let [a, b, c, d] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < length; i += 4) {
    a += vector[i] * rows[start + i];
    b += vector[i + 1] * rows[start + i + 1];
    c += vector[i + 2] * rows[start + i + 2];
    d += vector[i + 3] * rows[start + i + 3];
  }
  for (; i < length; i++) a += vector[i] * rows[start + i];
  return a + b + (c + d);
}
