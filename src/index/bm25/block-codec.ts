/**
 * Postings in blocks of 128: document gaps, then frequencies, each packed with the fewest of 0, 1, 2, 4, 8, 16
 * or 32 bits that hold the block's greatest value. No value straddles a byte, so decoding is a plain loop;
 * in V8 that beats exact bit widths and variable-length bytes (docs/bm25.md has the figures).
 *
 * A block is one header byte (gap width code | frequency width code << 4) and the two packed arrays. Gaps are
 * stored less 1 and frequencies less 1, so that runs and single occurrences take no bits at all.
 */

export const BLOCK_SIZE = 128;

/** The most bytes a block may take. */
export const MAX_BLOCK_BYTES = 1 + 2 * 4 * BLOCK_SIZE;

/** Bits a value of each width code. */
const WIDTHS = [0, 1, 2, 4, 8, 16, 32];

/**
 * Writes `count` postings at `out[offset]`.
 * @param previous the last document of the block before, −1 for the first
 * @returns the offset after the block
 */
export function encodeBlock(
  documents: Int32Array,
  frequencies: Int32Array,
  count: number,
  previous: number,
  out: Uint8Array,
  offset: number,
): number {
  let before = previous;
  for (let i = 0; i < count; i++) {
    gaps[i] = documents[i] - before - 1;
    before = documents[i];
    extras[i] = frequencies[i] - 1;
  }
  const gapCode = widthCode(gaps, count);
  const extraCode = widthCode(extras, count);
  out[offset] = gapCode | (extraCode << 4);
  return pack(extras, count, WIDTHS[extraCode], out, pack(gaps, count, WIDTHS[gapCode], out, offset + 1));
}

/** Reads the documents of the block at `offset` into `documents`. */
export function decodeDocuments(
  bytes: Uint8Array,
  offset: number,
  count: number,
  previous: number,
  documents: Int32Array,
): void {
  unpack(bytes, offset + 1, count, WIDTHS[bytes[offset] & 15], documents);
  let document = previous;
  for (let i = 0; i < count; i++) {
    document += documents[i] + 1;
    documents[i] = document;
  }
}

/** Reads the frequencies of the block at `offset` into `frequencies`. */
export function decodeFrequencies(
  bytes: Uint8Array,
  offset: number,
  count: number,
  frequencies: Int32Array,
): void {
  const header = bytes[offset];
  const start = offset + 1 + packedBytes(count, WIDTHS[header & 15]);
  unpack(bytes, start, count, WIDTHS[header >>> 4], frequencies);
  for (let i = 0; i < count; i++) frequencies[i]++;
}

/** Reads one frequency of the block at `offset`: widths are fixed, so the others need not be unpacked. */
export function decodeFrequency(bytes: Uint8Array, offset: number, count: number, i: number): number {
  const header = bytes[offset];
  const width = WIDTHS[header >>> 4];
  const start = offset + 1 + packedBytes(count, WIDTHS[header & 15]);
  if (width < 8) {
    const bit = i * width;
    return 1 + ((bytes[start + (bit >>> 3)] >>> (bit & 7)) & ((1 << width) - 1));
  }
  let value = 1;
  for (let byte = 0; byte < width >>> 3; byte++)
    value += bytes[start + i * (width >>> 3) + byte] << (8 * byte);
  return value;
}

const gaps = new Int32Array(BLOCK_SIZE);
const extras = new Int32Array(BLOCK_SIZE);

function packedBytes(count: number, width: number): number {
  return (count * width + 7) >>> 3;
}

function widthCode(values: Int32Array, count: number): number {
  let all = 0;
  for (let i = 0; i < count; i++) all |= values[i];
  const bits = 32 - Math.clz32(all);
  return WIDTHS.findIndex((width) => width >= bits);
}

function pack(values: Int32Array, count: number, width: number, out: Uint8Array, offset: number): number {
  const end = offset + packedBytes(count, width);
  if (width >= 8) {
    let at = offset;
    for (let i = 0; i < count; i++) {
      for (let shift = 0; shift < width; shift += 8) out[at++] = values[i] >>> shift;
    }
  } else if (width > 0) {
    out.fill(0, offset, end);
    for (let i = 0, bit = 0; i < count; i++, bit += width) {
      out[offset + (bit >>> 3)] |= values[i] << (bit & 7);
    }
  }
  return end;
}

/** May write a few values past `count`, never past a whole block. */
function unpack(bytes: Uint8Array, offset: number, count: number, width: number, out: Int32Array): void {
  let at = offset;
  switch (width) {
    case 0:
      out.fill(0, 0, count);
      return;
    case 1:
      for (let i = 0; i < count; i += 8) {
        const byte = bytes[at++];
        out[i] = byte & 1;
        out[i + 1] = (byte >>> 1) & 1;
        out[i + 2] = (byte >>> 2) & 1;
        out[i + 3] = (byte >>> 3) & 1;
        out[i + 4] = (byte >>> 4) & 1;
        out[i + 5] = (byte >>> 5) & 1;
        out[i + 6] = (byte >>> 6) & 1;
        out[i + 7] = byte >>> 7;
      }
      return;
    case 2:
      for (let i = 0; i < count; i += 4) {
        const byte = bytes[at++];
        out[i] = byte & 3;
        out[i + 1] = (byte >>> 2) & 3;
        out[i + 2] = (byte >>> 4) & 3;
        out[i + 3] = byte >>> 6;
      }
      return;
    case 4:
      for (let i = 0; i < count; i += 2) {
        const byte = bytes[at++];
        out[i] = byte & 15;
        out[i + 1] = byte >>> 4;
      }
      return;
    case 8:
      for (let i = 0; i < count; i++) out[i] = bytes[at++];
      return;
    case 16:
      for (let i = 0; i < count; i++, at += 2) out[i] = bytes[at] | (bytes[at + 1] << 8);
      return;
    default:
      for (let i = 0; i < count; i++, at += 4) {
        out[i] = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
      }
  }
}
