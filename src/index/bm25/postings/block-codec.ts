/**
 * Postings in blocks of 128: document gaps, then frequencies, each packed with as many bits as the block's greatest
 * value needs. One loop decodes every width; docs/bm25.md compares it with byte-aligned widths and varints.
 *
 * A block is 32-bit words: a header (bits a gap | bits a frequency << 8) and the two packed arrays, each from a new
 * word on. Gaps and frequencies are stored less 1, so that runs and single occurrences take no bits at all.
 */

export const BLOCK_SIZE = 128;

/** The most words a block may take. */
export const MAX_BLOCK_WORDS = 1 + 2 * BLOCK_SIZE;

/**
 * Packs `count` postings into `out`.
 * @param previous the last document of the block before, −1 for the first
 * @returns how many words the block takes
 */
export function encodeBlock(
  documents: Int32Array,
  frequencies: Int32Array,
  count: number,
  previous: number,
  out: Uint32Array,
): number {
  let before = previous;
  for (let i = 0; i < count; i++) {
    gaps[i] = documents[i] - before - 1;
    before = documents[i];
    extras[i] = frequencies[i] - 1;
  }
  const gapBits = bitsFor(gaps, count);
  const extraBits = bitsFor(extras, count);
  const extrasAt = 1 + packedWords(count, gapBits);
  const words = extrasAt + packedWords(count, extraBits);
  out.fill(0, 0, words);
  out[0] = gapBits | (extraBits << 8);
  pack(gaps, count, gapBits, out, 1);
  pack(extras, count, extraBits, out, extrasAt);
  return words;
}

/** Reads the documents of the block at `block` into `documents`. */
export function decodeDocuments(
  words: Uint32Array,
  block: number,
  count: number,
  previous: number,
  documents: Int32Array,
): void {
  const bits = words[block] & 255;
  let document = previous;
  for (let i = 0; i < count; i++) {
    document += 1 + unpack(words, block + 1, bits, i);
    documents[i] = document;
  }
}

/** Reads the frequencies of the block at `block` into `frequencies`. */
export function decodeFrequencies(
  words: Uint32Array,
  block: number,
  count: number,
  frequencies: Int32Array,
): void {
  const bits = words[block] >>> 8;
  const start = block + 1 + packedWords(count, words[block] & 255);
  for (let i = 0; i < count; i++) frequencies[i] = 1 + unpack(words, start, bits, i);
}

/** Reads one frequency of the block at `block`: the others need not be unpacked for it. */
export function decodeFrequency(words: Uint32Array, block: number, count: number, i: number): number {
  const start = block + 1 + packedWords(count, words[block] & 255);
  return 1 + unpack(words, start, words[block] >>> 8, i);
}

const gaps = new Int32Array(BLOCK_SIZE);
const extras = new Int32Array(BLOCK_SIZE);

function packedWords(count: number, bits: number): number {
  return (count * bits + 31) >>> 5;
}

function bitsFor(values: Int32Array, count: number): number {
  let all = 0;
  for (let i = 0; i < count; i++) all |= values[i];
  return 32 - Math.clz32(all);
}

function pack(values: Int32Array, count: number, bits: number, out: Uint32Array, start: number): void {
  for (let i = 0; i < count; i++) {
    const at = start + ((i * bits) >>> 5);
    const shift = (i * bits) & 31;
    out[at] |= values[i] << shift;
    if (shift + bits > 32) out[at + 1] |= values[i] >>> (32 - shift);
  }
}

/** The i-th of the values packed from `start` on; values are below 2³¹, so 31 bits at most. */
function unpack(words: Uint32Array, start: number, bits: number, i: number): number {
  const at = start + ((i * bits) >>> 5);
  const shift = (i * bits) & 31;
  let value = words[at] >>> shift;
  if (shift + bits > 32) value |= words[at + 1] << (32 - shift);
  return value & ((1 << bits) - 1);
}
