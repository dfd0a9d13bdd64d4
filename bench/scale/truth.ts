import { BlockScorer } from '../../src/index/vectors/block-scorer.js';
import { emptyResult } from '../../src/index/vectors/check-vectors.js';
import { RankingMerger } from '../../src/index/vectors/merge-ranking.js';
import { VectorFile } from '../../src/model/index.js';

/** What is truly nearest to each query, by one pass over the file. */
export async function exactTop(vectors: string, queries: string, k: number): Promise<number[][]> {
  const all = await readAll(queries);
  const file = await VectorFile.open(vectors);
  const { dimension } = file;
  const scorer = await BlockScorer.create({ dimension, storage: 'f32' }, {});
  const total = all.length / dimension;
  const result = emptyResult(total, k);
  const merger = new RankingMerger(result);
  let firstId = 0;
  for await (const block of file.blocks(65_536)) {
    const rows = block.length / dimension;
    for (let first = 0; first < total; first += 128) {
      const part = all.subarray(first * dimension, (first + 128) * dimension);
      const ranking = await scorer.rank(part, { data: block, rows, firstId }, k);
      for (let row = 0; row * dimension < part.length; row++) merger.merge(first + row, row, ranking);
    }
    firstId += rows;
  }
  await scorer.release();
  await file.close();
  return Array.from({ length: total }, (_, i) => [...result.ids.subarray(i * k, (i + 1) * k)]);
}

export async function readAll(path: string): Promise<Float32Array> {
  const file = await VectorFile.open(path);
  const all = new Float32Array(file.rows * file.dimension);
  let at = 0;
  for await (const block of file.blocks(8192)) {
    all.set(block, at);
    at += block.length;
  }
  await file.close();
  return all;
}
