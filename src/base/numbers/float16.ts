/**
 * Half-precision numbers. Conversions work on bit patterns, so NaN payloads, infinities, signed zeros and
 * subnormals come through exactly; narrowing rounds to nearest, ties to even (IEEE 754), as NumPy does.
 */

/** float32 bit pattern of each of the 65,536 half-precision bit patterns; 256 KiB, made at first use. */
let widened: Uint32Array | undefined;

function widenBits(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0x1f) return (sign | 0x7f800000 | (fraction << 13)) >>> 0;
  if (exponent !== 0) return (sign | ((exponent + 112) << 23) | (fraction << 13)) >>> 0;
  if (fraction === 0) return sign >>> 0;
  // Subnormal: float32 has exponents to spare, so shift the leading bit into its implicit place.
  const shift = Math.clz32(fraction) - 21;
  return (sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13)) >>> 0;
}

function wideningTable(): Uint32Array {
  if (!widened) {
    widened = new Uint32Array(0x10000);
    for (let half = 0; half < 0x10000; half++) widened[half] = widenBits(half);
  }
  return widened;
}

/** Widens half-precision bit patterns to float32; exact. */
export function decodeFloat16(source: Uint16Array, target: Float32Array): void {
  const table = wideningTable();
  const bits = bitsOf(target);
  for (let i = 0; i < source.length; i++) bits[i] = table[source[i]];
}

/** Widens bfloat16 bit patterns (the upper half of a float32) to float32; exact. */
export function decodeBfloat16(source: Uint16Array, target: Float32Array): void {
  const bits = bitsOf(target);
  for (let i = 0; i < source.length; i++) bits[i] = source[i] << 16;
}

/** Narrows float32 to half-precision bit patterns; what is too large for half precision becomes infinity. */
export function encodeFloat16(source: Float32Array, target: Uint16Array): void {
  const bits = bitsOf(source);
  for (let i = 0; i < bits.length; i++) {
    const sign = (bits[i] >>> 16) & 0x8000;
    const magnitude = bits[i] & 0x7fffffff;
    target[i] = sign | narrowMagnitude(magnitude);
  }
}

const SMALLEST_NORMAL = 0x38800000; // 2^-14
const ROUNDS_TO_INFINITY = 0x477ff000; // 65520, half-way between 65504 and the next step
const ROUNDS_TO_ZERO = 0x33000000; // 2^-25, half of the smallest subnormal

function narrowMagnitude(bits: number): number {
  if (bits > 0x7f800000) return 0x7e00 | ((bits >>> 13) & 0x3ff);
  if (bits >= ROUNDS_TO_INFINITY) return 0x7c00;
  // Adding just under half a unit, plus the lowest kept bit, makes truncation round ties to even.
  if (bits >= SMALLEST_NORMAL) return (bits - 0x38000000 + 0xfff + ((bits >>> 13) & 1)) >>> 13;
  if (bits <= ROUNDS_TO_ZERO) return 0;
  const shift = 126 - (bits >>> 23);
  const fraction = (bits & 0x7fffff) | 0x800000;
  return (fraction + (1 << (shift - 1)) - 1 + ((fraction >>> shift) & 1)) >>> shift;
}

function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length);
}
