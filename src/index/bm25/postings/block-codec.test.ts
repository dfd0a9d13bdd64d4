import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CODED_LENGTHS, encodeLength } from '../document-length.js';
import {
  BLOCK_SIZE,
  decodeDocuments,
  decodeFrequencies,
  decodeFrequency,
  encodeBlock,
  MAX_BLOCK_WORDS,
} from './block-codec.js';
import { ImpactFrontier, impactFrequency, impactLengthCode } from './impacts.js';

const upTo = (bits: number) => fc.integer({ min: 1, max: 2 ** bits });
const values = fc
  .constantFrom(0, 1, 2, 4, 7, 8, 12, 16, 21)
  .chain((bits) => fc.array(upTo(bits), { minLength: 1, maxLength: BLOCK_SIZE }));

test('a block comes back as it went in, whatever its gaps, frequencies and place', () => {
  fc.assert(
    fc.property(
      values,
      values,
      fc.integer({ min: 0, max: 5 }),
      upTo(20),
      (gaps, counts, offset, previous) => {
        const count = Math.min(gaps.length, counts.length);
        const documents = new Int32Array(count);
        gaps.slice(0, count).reduce((before, gap, i) => (documents[i] = before + gap), previous);
        const frequencies = Int32Array.from(counts.slice(0, count));
        const block = new Uint32Array(MAX_BLOCK_WORDS).fill(0xffff_ffff);
        const length = encodeBlock(documents, frequencies, count, previous, block);
        const words = new Uint32Array(MAX_BLOCK_WORDS + offset).fill(0xffff_ffff);
        words.set(block.subarray(0, length), offset);
        expect(length).toBeLessThanOrEqual(MAX_BLOCK_WORDS);
        const out = new Int32Array(BLOCK_SIZE);
        decodeDocuments(words, offset, count, previous, out);
        expect(out.subarray(0, count)).toEqual(documents);
        decodeFrequencies(words, offset, count, out);
        expect(out.subarray(0, count)).toEqual(frequencies);
        expect(frequencies.map((_, i) => decodeFrequency(words, offset, count, i))).toEqual(frequencies);
      },
    ),
  );
});

test('a run of neighbours that each have the term once takes one word', () => {
  const documents = Int32Array.from({ length: BLOCK_SIZE }, (_, i) => i);
  const ones = new Int32Array(BLOCK_SIZE).fill(1);
  expect(encodeBlock(documents, ones, BLOCK_SIZE, -1, new Uint32Array(MAX_BLOCK_WORDS))).toBe(1);
});

test('lengths are coded as by Lucene: exact below 40, then never longer and at most an eighth shorter', () => {
  for (let length = 0; length < 40; length++) expect(CODED_LENGTHS[encodeLength(length)]).toBe(length);
  // SmallFloat.byte4ToInt(SmallFloat.intToByte4(x))
  expect([40, 41, 55, 56, 100, 215, 1000, 100_000].map((x) => CODED_LENGTHS[encodeLength(x)])).toEqual([
    40, 40, 54, 56, 96, 200, 984, 98_328,
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (length) => {
      const code = encodeLength(length);
      expect(code).toBeLessThan(256);
      expect(CODED_LENGTHS[code]).toBeLessThanOrEqual(length);
      expect(CODED_LENGTHS[code]).toBeGreaterThan(length * 0.875 - 1);
      expect(encodeLength(CODED_LENGTHS[code])).toBe(code);
    }),
  );
});

test('the impacts kept dominate all others, and no one of them another', () => {
  const posting = fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(posting, { minLength: 1, maxLength: 128 }), (postings) => {
      const frontier = new ImpactFrontier();
      for (const [frequency, code] of postings) frontier.add(frequency, code);
      const kept = Array.from({ length: frontier.size }, (_, i) => frontier.packed(i)).map(
        (packed) => [impactFrequency(packed), impactLengthCode(packed)] as const,
      );
      const covers = (a: readonly [number, number], b: readonly [number, number]) =>
        a[0] >= b[0] && a[1] <= b[1];
      for (const one of postings) expect(kept.some((impact) => covers(impact, one))).toBe(true);
      for (const impact of kept) expect(kept.filter((other) => covers(other, impact))).toHaveLength(1);
    }),
  );
});
