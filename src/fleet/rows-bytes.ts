import { NearmissError } from '../base/errors.js';
import type { EncodedTexts } from '../model/encoder/encoded-texts.js';

const WIDTH = 4;

/** Rows of texts as bytes: how many texts, their offsets, all numbers; 32 bits each. */
export function rowsToBytes({ vectors, offsets }: EncodedTexts): Uint8Array {
  const bytes = new Uint8Array((1 + offsets.length + vectors.length) * WIDTH);
  new Uint32Array(bytes.buffer).set([offsets.length - 1, ...offsets]);
  new Float32Array(bytes.buffer, (1 + offsets.length) * WIDTH).set(vectors);
  return bytes;
}

/** @param texts how many there must be */
export function rowsFromBytes(content: Uint8Array, texts: number, dimension: number): EncodedTexts {
  // A copy that is aligned, as numbers have to be.
  const { buffer } = Uint8Array.from(content);
  const [count] = new Uint32Array(buffer, 0, 1);
  if (count !== texts) throw new NearmissError(`a shard: expected rows of ${texts} texts, got ${count}`);
  const offsets = new Uint32Array(buffer, WIDTH, texts + 1);
  const vectors = new Float32Array(buffer, (texts + 2) * WIDTH);
  if (vectors.length === offsets[texts] * dimension) return { vectors, offsets };
  throw new NearmissError(
    `a shard: expected rows of ${dimension} numbers, got ${vectors.length / offsets[texts]}`,
  );
}
