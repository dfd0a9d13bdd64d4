import { expect, test } from 'vitest';
import { type Ranker, rankInParts } from './rank-in-parts.js';

async function partsOf(queries: number, options: { documents: number; bytes?: number }) {
  const parts: number[] = [];
  const ranker: Ranker = {
    async *search(part, k) {
      expect(k).toBe(options.documents);
      parts.push(part.length);
      for (let i = 0; i < part.length; i++) {
        yield { query: part[i], ids: new Int32Array(0), scores: new Float32Array(0) };
      }
    },
  };
  const found: number[] = [];
  const asked = Int32Array.from({ length: queries }, (_, i) => 3 * i);
  for await (const { query } of rankInParts(ranker, asked, options)) found.push(query);
  expect(found).toEqual([...asked]);
  return parts;
}

test('no more rankings at once than there is room for', async () => {
  expect(await partsOf(7, { documents: 10, bytes: 3 * 80 })).toEqual([3, 3, 1]);
  expect(await partsOf(2, { documents: 10, bytes: 1 })).toEqual([1, 1]);
  expect(await partsOf(2048, { documents: 17_248 })).toEqual([2048]);
  expect(Math.max(...(await partsOf(2048, { documents: 1_000_000 }))) * 8e6).toBeLessThan(2 ** 30);
});
