/**
 * Document lengths in one byte, as Lucene keeps them: exact below 40, above that with four significant bits
 * (at most 12.5 % too short). One byte a document makes scoring a table look-up, and figures equal Anserini's.
 */

/** Lengths below this have a code of their own (Lucene's SmallFloat.NUM_FREE_VALUES). */
const EXACT_BELOW = 24;

function decodeLength(code: number): number {
  return code < EXACT_BELOW ? code : EXACT_BELOW + decodeFloat(code - EXACT_BELOW);
}

/** The code of the greatest representable length that is not above `length`. */
export function encodeLength(length: number): number {
  return length < EXACT_BELOW ? length : EXACT_BELOW + encodeFloat(length - EXACT_BELOW);
}

/** A float with a 3-bit mantissa, an implicit leading one and denormal numbers below 8. */
function encodeFloat(value: number): number {
  const bits = 32 - Math.clz32(value);
  if (bits < 4) return value;
  const shift = bits - 4;
  return ((value >>> shift) & 7) | ((shift + 1) << 3);
}

function decodeFloat(code: number): number {
  const shift = (code >>> 3) - 1;
  return shift < 0 ? code & 7 : ((code & 7) | 8) * 2 ** shift;
}

/** The length of every code. */
export const CODED_LENGTHS = Float64Array.from({ length: 256 }, (_, code) => decodeLength(code));
