import { describe, expect, test } from 'vitest';
import { gather, type MemoryData, memoryDataset } from '../data.fixture.js';
import { sampleDataset } from './sample.js';

const data: MemoryData = {
  documents: Array.from({ length: 200 }, (_, i) => ({ id: `d${i}`, text: `text ${i}` })),
  queries: Array.from({ length: 40 }, (_, i) => ({ id: `q${i}`, text: `words ${i}` })),
  qrels: {
    train: Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [
        `q${i}`,
        { [`d${2 * i}`]: 1, [`d${2 * i + 1}`]: 2, [`d${100 + i}`]: 0 },
      ]),
    ),
    test: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`q${30 + i}`, { [`d${150 + i}`]: 1 }])),
  },
  examples: {
    train: [{ queryId: 'q0', positives: [{ id: 'd0' }], negatives: [{ id: 'd9' }, { id: 'd199' }] }],
  },
};
const dataset = memoryDataset(data);

describe('a sample', () => {
  test('has the numbers asked for and every relevant document of its queries', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const sample = await gather(await sampleDataset(dataset, { documents: 50, queries: 12, seed }));
      const kept = new Set(sample.documents.map(({ id }) => id));
      expect(kept.size).toBe(50);
      expect(sample.queries).toHaveLength(12);
      for (const [split, qrels] of Object.entries(sample.qrels)) {
        for (const [queryId, judged] of Object.entries(qrels)) {
          const relevant = Object.entries(data.qrels[split][queryId]).filter(([, grade]) => grade > 0);
          expect(judged).toMatchObject(Object.fromEntries(relevant));
          for (const id of Object.keys(judged)) expect(kept).toContain(id);
        }
      }
      for (const { negatives } of sample.examples?.train ?? [])
        for (const { id } of negatives) expect(kept).toContain(id);
    }
  });

  test('fills up evenly: every other document is drawn about as often', async () => {
    const drawn = new Map<string, number>();
    const rounds = 600;
    for (let seed = 0; seed < rounds; seed++) {
      const options = { documents: 50, queries: 10, seed, from: ['test'] };
      for (const { id } of (await gather(await sampleDataset(dataset, options))).documents) {
        drawn.set(id, (drawn.get(id) ?? 0) + 1);
      }
    }
    // 40 places for the 190 documents that no test query needs: binomial, mean 126, deviation 10.
    const expected = (rounds * 40) / 190;
    for (const { id } of data.documents) {
      if (id >= 'd150' && id <= 'd159' && id.length === 4) expect(drawn.get(id)).toBe(rounds);
      else expect(Math.abs((drawn.get(id) ?? 0) - expected)).toBeLessThan(50);
    }
  });

  test('the seed decides; splits without a query are gone', async () => {
    const ids = async (seed: number) =>
      (await gather(await sampleDataset(dataset, { documents: 50, queries: 5, seed, from: ['test'] })))
        .documents;
    expect(await ids(1)).toEqual(await ids(1));
    expect(await ids(1)).not.toEqual(await ids(2));
    const sample = await sampleDataset(dataset, { documents: 50, queries: 5, seed: 1, from: ['test'] });
    expect(await sample.splits()).toEqual(['test']);
  });

  test('asking for too much is told', async () => {
    await expect(sampleDataset(dataset, { documents: 5, queries: 30, seed: 1 })).rejects.toThrow(
      /relevant documents, more than the 5/,
    );
    await expect(sampleDataset(dataset, { documents: 5, queries: 300, seed: 1 })).rejects.toThrow(
      /expected 300 queries .* got 40/,
    );
  });
});
