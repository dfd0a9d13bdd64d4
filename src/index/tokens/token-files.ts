import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { IndexFolder } from '../vectors/index-folder.js';
import { WORDS } from './codeword-finder.js';
import { codebookOfBuckets } from './old-codebook.js';
import { type Codebook, centroidOf, packedBytes, TOKEN_BITS, type TokenBits } from './residual-codec.js';

/** The files of a token index besides its description and ids. */
export const TOKEN_FILES = {
  /** Directions, centroids, how many components bytes have, codewords, the lowest scale and their step: 32-bit numbers. */
  codewords: 'codewords.bin',
  /** The same of an index made before there were codewords: centroids, cutoffs and weights of buckets. */
  codebook: 'codebook.bin',
  /** The centroid of each token in the lower 24 bits, and how long it is. */
  codes: 'codes.bin',
  /** What tokens differ from their centroids by, packed. */
  residuals: 'residuals.bin',
  /** Where the tokens of each document start, 32 bits. */
  offsets: 'offsets.bin',
} as const;

/** What an index of tokens has in memory in any case. */
export interface TokenTable {
  codebook: Codebook;
  /** The centroid of each token, and how long it is. */
  codes: Uint32Array;
  /** The tokens of document `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets: Uint32Array;
}

export async function readTokenTable(folder: IndexFolder): Promise<TokenTable> {
  const [codebook, codes, offsets] = await Promise.all([
    readCodebook(folder),
    readNumbers(folder, TOKEN_FILES.codes),
    readNumbers(folder, TOKEN_FILES.offsets),
  ]);
  const { count } = folder.metadata;
  if (offsets.length !== count + 1 || offsets[0] !== 0 || offsets[count] !== codes.length) {
    throw folder.damaged(TOKEN_FILES.offsets, `expected ${count} documents with ${codes.length} tokens`);
  }
  const backwards = offsets.findIndex((offset, i) => i > 0 && offset < offsets[i - 1]);
  if (backwards >= 0) {
    throw folder.damaged(
      TOKEN_FILES.offsets,
      `document ${backwards - 1}: expected to end at ${offsets[backwards - 1]} or behind, got ${offsets[backwards]}`,
    );
  }
  const bytes = codes.length * packedBytes(codebook);
  if (folder.bytes(TOKEN_FILES.residuals) !== bytes) {
    throw folder.damaged(
      TOKEN_FILES.residuals,
      `expected ${bytes} bytes of ${codes.length} tokens, got ${folder.bytes(TOKEN_FILES.residuals)}`,
    );
  }
  const centroids = codebook.centroids.length / codebook.dimension;
  const place = codes.findIndex((code) => centroidOf(code) >= centroids);
  if (place >= 0) {
    throw folder.damaged(
      TOKEN_FILES.codes,
      `token ${place}: expected one of ${centroids} centroids, got ${centroidOf(codes[place])}`,
    );
  }
  return { codebook, codes, offsets };
}

async function readCodebook(folder: IndexFolder): Promise<Codebook> {
  const { dimension, parameters } = folder.metadata;
  const { centroids } = parameters;
  const bits = parameters.bits as TokenBits;
  if (!TOKEN_BITS.includes(bits)) {
    throw folder.damaged('meta.json', `parameters.bits: expected ${TOKEN_BITS.join(', ')}, got ${bits}`);
  }
  if (!Number.isInteger(centroids) || centroids < 0) {
    throw folder.damaged('meta.json', `parameters.centroids: expected a whole number, got ${centroids}`);
  }
  const shape = { dimension, bits };
  if (!folder.has(TOKEN_FILES.codewords)) {
    const [places, weights] = [centroids * dimension, 2 ** bits];
    const parts = await readParts(folder, TOKEN_FILES.codebook, [places, weights - 1, weights]);
    return codebookOfBuckets({ ...shape, centroids: parts[0], weights: parts[2] });
  }
  const [directions, places, sizes, codewords, [lowest, step]] = await readParts(
    folder,
    TOKEN_FILES.codewords,
    [dimension * dimension, centroids * dimension, packedBytes(shape), dimension * WORDS, 2],
  );
  const sum = sizes.reduce((total, size) => total + size, 0);
  if (sum !== dimension || !sizes.every((size) => Number.isInteger(size) && size >= 0)) {
    throw folder.damaged(TOKEN_FILES.codewords, `expected bytes of ${dimension} components, got ${sum}`);
  }
  return {
    ...shape,
    directions,
    centroids: places,
    sizes: Uint32Array.from(sizes),
    codewords,
    // No row is made of nothing.
    ...(lowest + step > 0 && { scales: { lowest, step } }),
  };
}

/** Numbers that lie one after another in a file, so many of each. */
async function readParts(
  folder: IndexFolder,
  name: string,
  sizes: readonly number[],
): Promise<Float32Array[]> {
  const numbers = new Float32Array(await readChecked(folder, name));
  const expected = sizes.reduce((sum, size) => sum + size, 0);
  if (numbers.length !== expected) {
    throw folder.damaged(name, `expected ${expected} numbers, got ${numbers.length}`);
  }
  let end = 0;
  return sizes.map((size) => {
    end += size;
    return numbers.slice(end - size, end);
  });
}

async function readNumbers(folder: IndexFolder, name: string): Promise<Uint32Array> {
  return new Uint32Array(await readChecked(folder, name));
}

async function readChecked(folder: IndexFolder, name: string): Promise<ArrayBuffer> {
  const content = await readFile(folder.file(name));
  folder.expectChecksum(name, crc32(content));
  if (content.length % 4 > 0)
    throw folder.damaged(name, `expected numbers of 4 bytes, got ${content.length} bytes`);
  return content.buffer.slice(content.byteOffset, content.byteOffset + content.length) as ArrayBuffer;
}
