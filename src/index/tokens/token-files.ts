import { readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { IndexFolder } from '../vectors/index-folder.js';
import { type Codebook, TOKEN_BITS, type TokenBits } from './residual-codec.js';

/** The files of a token index besides its description and ids. */
export const TOKEN_FILES = {
  /** Centroids, cutoffs and weights, 32-bit numbers. */
  codebook: 'codebook.bin',
  /** The centroid of each token, 32 bits. */
  codes: 'codes.bin',
  /** What tokens differ from their centroids by, packed. */
  residuals: 'residuals.bin',
  /** Where the tokens of each document start, 32 bits. */
  offsets: 'offsets.bin',
} as const;

/** What an index of tokens has in memory in any case. */
export interface TokenTable {
  codebook: Codebook;
  /** The centroid of each token. */
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
  return { codebook, codes, offsets };
}

async function readCodebook(folder: IndexFolder): Promise<Codebook> {
  const { dimension, parameters } = folder.metadata;
  const { bits, centroids } = parameters;
  if (!TOKEN_BITS.includes(bits as TokenBits)) {
    throw folder.damaged('meta.json', `parameters.bits: expected ${TOKEN_BITS.join(', ')}, got ${bits}`);
  }
  const numbers = new Float32Array(await readChecked(folder, TOKEN_FILES.codebook));
  const [places, buckets] = [centroids * dimension, 2 ** bits];
  if (numbers.length !== places + 2 * buckets - 1) {
    throw folder.damaged(
      TOKEN_FILES.codebook,
      `expected ${places + 2 * buckets - 1} numbers, got ${numbers.length}`,
    );
  }
  return {
    dimension,
    bits: bits as TokenBits,
    centroids: numbers.slice(0, places),
    cutoffs: numbers.slice(places, places + buckets - 1),
    weights: numbers.slice(places + buckets - 1),
  };
}

async function readNumbers(folder: IndexFolder, name: string): Promise<Uint32Array> {
  return new Uint32Array(await readChecked(folder, name));
}

async function readChecked(folder: IndexFolder, name: string): Promise<ArrayBuffer> {
  const content = await readFile(folder.file(name));
  folder.expectChecksum(name, crc32(content));
  return content.buffer.slice(content.byteOffset, content.byteOffset + content.length) as ArrayBuffer;
}
