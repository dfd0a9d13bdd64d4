/**
 * The place of the first NaN or infinity, or −1. Looking costs a fraction of copying: the sum of single-precision numbers
 * in double precision is finite exactly if all of them are, since no array is long enough for it to overflow.
 */
export function findNotFinite(values: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  const whole = values.length - (values.length % 4);
  for (let i = 0; i < whole; i += 4) {
    a += values[i];
    b += values[i + 1];
    c += values[i + 2];
    d += values[i + 3];
  }
  for (let i = whole; i < values.length; i++) a += values[i];
  return Number.isFinite(a + b + c + d) ? -1 : values.findIndex((value) => !Number.isFinite(value));
}
