/** Largest magnitude of an 8-bit component; −128 is left out so that negation stays exact. */
const LIMIT = 127;

export function largestMagnitude(values: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) {
    const magnitude = Math.abs(values[i]);
    if (magnitude > largest) largest = magnitude;
  }
  return largest;
}

/** What to multiply numbers with so that they fit 8 bits; 1 where all of them are zero. */
export function int8Scale(largest: number): number {
  return largest > 0 ? LIMIT / largest : 1;
}

/** Scales, rounds and clamps numbers to 8 bits. */
export function toInt8(values: Float32Array, scale: number, target: Int8Array): void {
  for (let i = 0; i < values.length; i++) {
    target[i] = Math.max(-LIMIT, Math.min(LIMIT, Math.round(values[i] * scale)));
  }
}
