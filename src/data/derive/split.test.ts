import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gather, type MemoryData, memoryDataset } from '../data.fixture.js';
import type { Qrels } from '../dataset.js';
import { ResplitDataset } from './resplit.js';
import { type SplitBy, splitDataset } from './split.js';

const RATIOS = { train: 0.8, dev: 0.1, test: 0.1 };

/** Random judgments: few documents and few texts make shared ones likely. */
const collection: fc.Arbitrary<MemoryData> = fc
  .array(
    fc.record({
      text: fc.integer({ min: 0, max: 60 }),
      positives: fc.array(fc.nat(80), { minLength: 1, maxLength: 3 }),
      negative: fc.nat(80),
    }),
    { minLength: 3, maxLength: 60 },
  )
  .map((queries) => ({
    documents: Array.from({ length: 81 }, (_, i) => ({
      id: `d${i}`,
      text: `text ${i}`,
      metadata: { group: `g${i % 20}` },
    })),
    queries: queries.map(({ text }, i) => ({
      id: `q${i}`,
      text: i % 2 ? `Words ${text}` : ` words  ${text} `,
    })),
    qrels: {
      all: Object.fromEntries(
        queries.map(({ positives, negative }, i) => [
          `q${i}`,
          { [`d${negative}`]: 0, ...Object.fromEntries(positives.map((d) => [`d${d}`, 1])) },
        ]),
      ),
    },
  }));

/** What the queries of a split must not share with another split. */
function belongings(data: MemoryData, qrels: Qrels, by: SplitBy): Set<string> {
  const texts = new Map(
    data.queries.map(({ id, text }) => [id, text.trim().toLowerCase().replace(/\s+/g, ' ')]),
  );
  const result = new Set<string>();
  for (const [queryId, judged] of qrels) {
    result.add(`text ${texts.get(queryId)}`);
    for (const [id, grade] of judged) {
      if (grade <= 0 || by === 'query') continue;
      result.add(`document ${id}`);
      if (by === 'group') result.add(`group ${Number(id.slice(1)) % 20}`);
    }
  }
  return result;
}

describe.each<SplitBy>(['query', 'document', 'group'])('by %s', (by) => {
  test('every judged query is in one split, and nothing leaks', async () => {
    await fc.assert(
      fc.asyncProperty(collection, fc.nat(1000), async (data, seed) => {
        const options = { by, ratios: RATIOS, seed, groupField: 'group' };
        const { splits, largestPart } = await splitDataset(memoryDataset(data), options);
        expect([...splits.keys()]).toEqual(['train', 'dev', 'test']);
        const queries = [...splits.values()].flatMap((qrels) => [...qrels.keys()]);
        expect(queries.sort()).toEqual(data.queries.map(({ id }) => id).sort());
        const parts = [...splits.values()].map((qrels) => belongings(data, qrels, by));
        for (const [i, part] of parts.entries()) {
          for (const other of parts.slice(i + 1))
            expect([...part].filter((item) => other.has(item))).toEqual([]);
        }
        for (const [split, ratio] of Object.entries(RATIOS)) {
          const size = splits.get(split)!.size;
          expect(Math.abs(size - ratio * queries.length)).toBeLessThanOrEqual(largestPart + 1);
        }
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});

describe('options', () => {
  const data: MemoryData = {
    documents: Array.from({ length: 100 }, (_, i) => ({
      id: `d${i}`,
      title: `t${i % 10}`,
      text: `text ${i}`,
    })),
    queries: Array.from({ length: 100 }, (_, i) => ({ id: `q${i}`, text: `words ${i}` })),
    qrels: {
      all: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`q${i}`, { [`d${i}`]: 1 }])),
      extra: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`q${90 + i}`, { [`d${90 + i}`]: 2 }])),
    },
    examples: { all: [{ queryId: 'q3', positives: [{ id: 'd3' }], negatives: [{ id: 'd4' }] }] },
  };
  const dataset = memoryDataset(data);

  test('the seed decides, the ratios are met', async () => {
    const sizes = async (seed: number) =>
      (await splitDataset(dataset, { by: 'query', ratios: RATIOS, seed })).splits;
    expect(await sizes(1)).toEqual(await sizes(1));
    expect(await sizes(1)).not.toEqual(await sizes(2));
    expect([...(await sizes(1)).values()].map(({ size }) => size)).toEqual([80, 10, 10]);
  });

  test('only the named splits are divided; the others and the examples come along', async () => {
    const ratios = { train: 1, test: 1 };
    const { splits } = await splitDataset(dataset, { by: 'query', ratios, seed: 1, from: ['all'] });
    const after = await gather(new ResplitDataset(dataset, { splits, divided: ['all'] }));
    expect(Object.keys(after.qrels)).toEqual(['train', 'test', 'extra']);
    expect(after.qrels.extra).toEqual(data.qrels.extra);
    const home = splits.get('train')!.has('q3') ? 'train' : 'test';
    expect(after.examples![home]).toEqual(data.examples!.all);
    expect(after.examples![home === 'train' ? 'test' : 'train']).toEqual([]);
  });

  test('titles are groups, too; wrong fields and ratios are told', async () => {
    const byTitle = { by: 'group' as const, ratios: RATIOS, seed: 1, groupField: 'title' };
    expect((await splitDataset(dataset, byTitle)).parts).toBe(10);
    await expect(splitDataset(dataset, { ...byTitle, groupField: 'nothing' })).rejects.toThrow(/"nothing"/);
    await expect(splitDataset(dataset, { ...byTitle, groupField: undefined })).rejects.toThrow(
      /no field named/,
    );
    await expect(splitDataset(dataset, { ...byTitle, ratios: { train: 1 } })).rejects.toThrow(
      /two splits or more/,
    );
  });

  test('splits that contradict each other cannot be pooled', async () => {
    const qrels = { a: { q1: { d1: 1 } }, b: { q1: { d1: 2 } } };
    const wrong = memoryDataset({ ...data, qrels });
    await expect(splitDataset(wrong, { by: 'query', ratios: RATIOS, seed: 1 })).rejects.toThrow(
      /judged 1 .* and 2/,
    );
  });
});
