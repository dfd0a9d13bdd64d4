import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBfloat16, decodeFloat16, encodeFloat16 } from './float16.js';

/** The definition, in exact double arithmetic: sign · 2^(e−15) · 1.fraction, or sign · 2^−14 · 0.fraction. */
function valueOfHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024);
}

/** Nearest half by search among all finite ones: slow, and with nothing in common with the bit tricks. */
const positives = Array.from({ length: 0x7c00 }, (_, half) => valueOfHalf(half));
function nearestHalf(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = Object.is(value, -0) || value < 0 ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  let low = 0;
  let high = positives.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (positives[middle] <= magnitude) low = middle;
    else high = middle - 1;
  }
  const above = positives[low + 1] ?? 65536;
  const down = magnitude - positives[low];
  const up = above - magnitude;
  return sign | (down < up || (down === up && low % 2 === 0) ? low : low + 1);
}

function decode(halves: Uint16Array): Float32Array {
  const out = new Float32Array(halves.length);
  decodeFloat16(halves, out);
  return out;
}

function encode(values: number[] | Float32Array): Uint16Array {
  const out = new Uint16Array(values.length);
  encodeFloat16(Float32Array.from(values), out);
  return out;
}

const allHalves = Uint16Array.from({ length: 0x10000 }, (_, half) => half);

describe('float16', () => {
  test('widens every one of the 65,536 bit patterns to its defined value', () => {
    const values = decode(allHalves);
    const wrong = [...allHalves].filter((half) => !Object.is(values[half], valueOfHalf(half)));
    expect(wrong).toEqual([]);
  });

  test('narrowing what was widened gives the same bits back (signalling NaNs become quiet)', () => {
    const back = encode(decode(allHalves));
    const isNaNHalf = (half: number): boolean => (half & 0x7c00) === 0x7c00 && (half & 0x3ff) !== 0;
    const wrong = [...allHalves].filter((half) => back[half] !== (isNaNHalf(half) ? half | 0x200 : half));
    expect(wrong).toEqual([]);
  });

  test('narrows known values', () => {
    const cases: [number, number][] = [
      [0, 0x0000],
      [-0, 0x8000],
      [1, 0x3c00],
      [-2, 0xc000],
      [65504, 0x7bff],
      [65519.996, 0x7bff],
      [65520, 0x7c00],
      [1e10, 0x7c00],
      [Number.NEGATIVE_INFINITY, 0xfc00],
      [2 ** -14, 0x0400],
      [2 ** -24, 0x0001],
      [2 ** -25, 0x0000],
      [2 ** -25 * 1.0001, 0x0001],
      [3 * 2 ** -25, 0x0002],
      [1 + 2 ** -11, 0x3c00],
      [1 + 3 * 2 ** -11, 0x3c02],
      [0.1, 0x2e66],
    ];
    expect([...encode(cases.map(([value]) => value))]).toEqual(cases.map(([, half]) => half));
    expect(encode([Number.NaN])[0] & 0x7e00).toBe(0x7e00);
  });

  test('rounds any float32 to the nearest half, ties to even', () => {
    const anyFloat = fc.oneof(
      fc.float(),
      fc.float({ min: Math.fround(-70000), max: 70000 }),
      fc.float({ min: Math.fround(-(2 ** -13)), max: 2 ** -13 }),
      // Exactly half-way between two neighbours.
      fc.integer({ min: 0, max: 0x7bfe }).map((half) => (positives[half] + positives[half + 1]) / 2),
    );
    fc.assert(
      fc.property(anyFloat, (value) => {
        const expected = nearestHalf(value);
        const got = encode([value])[0];
        expect(Number.isNaN(value) ? got & 0x7e00 : got).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('bfloat16', () => {
  test('widens every bit pattern to the float32 whose upper half it is', () => {
    const values = new Float32Array(0x10000);
    decodeBfloat16(allHalves, values);
    const view = new DataView(new ArrayBuffer(4));
    const wrong = [...allHalves].filter((bits) => {
      view.setUint16(0, bits);
      return !Object.is(values[bits], view.getFloat32(0));
    });
    expect(wrong).toEqual([]);
    expect(values[0x3f80]).toBe(1);
    expect(values[0xc040]).toBe(-3);
  });
});
