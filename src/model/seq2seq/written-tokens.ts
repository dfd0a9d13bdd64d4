import type { Seq2SeqShape } from './network.js';

/** What is to be written for a text that was tokenised with its special tokens: without the first, up to the end. */
export function targetOf(ids: ArrayLike<number>, { startId, endId }: Seq2SeqShape): Int32Array {
  const all = Int32Array.from(ids);
  const target = all[0] === startId ? all.subarray(1) : all;
  return target.at(-1) === endId ? target : Int32Array.of(...target, endId);
}

/** The tokens of what was written, without the one that ends it. */
export function withoutEnd(written: readonly number[], { endId }: Seq2SeqShape): number[] {
  return written.at(-1) === endId ? written.slice(0, -1) : [...written];
}
