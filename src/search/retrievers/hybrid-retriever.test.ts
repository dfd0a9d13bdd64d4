import { expect, test } from 'vitest';
import { HybridRetriever } from './hybrid-retriever.js';
import type { Hit, Retriever } from './retriever.js';

const part = (mode: string, hits: Hit[]): Retriever => ({
  mode,
  search: async (queries, { k }) => queries.map(() => hits.slice(0, k)),
  close: async () => undefined,
});

test('a single hit by words counts, although there is nothing to compare it with', async () => {
  const dense = part('dense', [
    { id: 'a', score: 0.5 },
    { id: 'b', score: 0.49 },
    { id: 'c', score: 0.1 },
  ]);
  const [[best, ...others]] = await new HybridRetriever([
    dense,
    part('bm25', [{ id: 'b', score: 7 }]),
  ]).search(['ECONNRESET'], { k: 5 });
  expect(best.id).toBe('b');
  expect(others.map(({ id }) => id)).toEqual(['a', 'c']);
});
