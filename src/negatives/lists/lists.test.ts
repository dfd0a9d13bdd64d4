import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IdTable } from '../../data/id-table.js';
import { makeRun } from '../../evaluate/run.js';
import { buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import { createVectorIndex } from '../../index/vectors/index.js';
import { Encoder } from '../../model/encoder/encoder.js';
import { loadEncoderModel } from '../../model/encoder/encoder-model.js';
import { mine } from '../mine.js';
import type { RankedList } from '../rules/rule.js';
import { documentNumbers, listsFromBm25 } from './from-bm25.js';
import { gatherExamples } from './from-examples.js';
import { listsFromModel } from './from-model.js';
import { listsFromRun } from './from-run.js';
import { listsFromVectors } from './from-vectors.js';

const TEXTS = ['a red apple', 'a green apple on a tree', 'a bus', 'red red apple pie', 'the tram stops'];
const QUERIES = [
  { query: 0, text: 'red apple' },
  { query: 1, text: 'tram' },
  { query: 2, text: 'zebra' },
];

function ids(names: string[]): IdTable {
  const table = new IdTable();
  for (const name of names) table.add(name);
  return table;
}

async function collect(lists: AsyncIterable<RankedList> | Iterable<RankedList>): Promise<RankedList[]> {
  const all: RankedList[] = [];
  for await (const list of lists) all.push(list);
  return all;
}

const collection = { queries: ids(['q0', 'q1', 'q2']), documents: ids(['d0', 'd1', 'd2', 'd3', 'd4']) };

describe('from BM25', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'nearmiss-lists-'));
    // In another order than the collection's.
    const documents = TEXTS.map((text, i) => ({ id: `d${i}`, text })).reverse();
    await buildBm25Index(join(folder, 'index'), asAsync(documents));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('the same on one thread and on two, by the numbers of the collection', async () => {
    const index = await openBm25Index(join(folder, 'index'));
    const numbers = documentNumbers(index, collection.documents);
    const [one, two] = await Promise.all(
      [1, 2].map((threads) => collect(listsFromBm25(index, QUERIES, { depth: 2, threads, numbers }))),
    );
    expect(two).toEqual(one);
    expect(one.map(({ query, ids }) => [query, ...ids])).toEqual([[0, 3, 0], [1, 4], [2]]);
    expect(one[0].scores[0]).toBeGreaterThan(one[0].scores[1]);
  });

  test('an index of another collection is refused', async () => {
    const index = await openBm25Index(join(folder, 'index'));
    expect(() => documentNumbers(index, ids(['d0', 'd1']))).toThrow(
      'BM25 index: the collection has no document "d4"',
    );
  });
});

describe('from vectors', () => {
  const flat = async () => {
    const builder = createVectorIndex({ dimension: 2 });
    await builder.add(Float32Array.of(1, 0, 0, 1, 1, 1));
    return builder.finish();
  };

  test('in any number of blocks, fewer where there are fewer', async () => {
    const index = await flat();
    const blocks = [
      { queries: [7, 3], vectors: Float32Array.of(2, 1, 0, 1) },
      { queries: [], vectors: new Float32Array(0) },
      { queries: [0], vectors: Float32Array.of(-1, 0) },
    ];
    const lists = await collect(listsFromVectors(index, blocks, { depth: 5 }));
    expect(lists).toEqual([
      { query: 7, ids: Int32Array.of(2, 0, 1), scores: Float32Array.of(3, 2, 1) },
      { query: 3, ids: Int32Array.of(1, 2, 0), scores: Float32Array.of(1, 1, 0) },
      { query: 0, ids: Int32Array.of(1, 0, 2), scores: Float32Array.of(0, -1, -1) },
    ]);
  });

  test('more queries than are searched at once', async () => {
    const queries = Array.from({ length: 700 }, (_, query) => query);
    const vectors = Float32Array.from(queries.flatMap((query) => (query % 2 ? [1, 0.5] : [0.5, 1])));
    const lists = await collect(listsFromVectors(await flat(), [{ queries, vectors }], { depth: 2 }));
    expect(lists.map(({ query, ids }) => [query, ...ids])).toEqual(
      queries.map((query) => [query, 2, query % 2 ? 0 : 1]),
    );
  });

  test('a vector that is no number names its query', async () => {
    const blocks = [{ queries: [5, 6], vectors: Float32Array.of(1, 1, 1, Number.NaN) }];
    await expect(collect(listsFromVectors(await flat(), blocks, { depth: 1 }))).rejects.toThrow(
      'query 6: expected a vector of numbers, got NaN',
    );
  });
});

test('from a model: near in meaning comes first', async () => {
  const encoder = await Encoder.create(await loadEncoderModel('minilm', { maxLength: 32 }));
  let encoded = 0;
  const lists = await collect(
    listsFromModel(encoder, {
      documents: asAsync(TEXTS),
      queries: [{ query: 1, text: 'dessert' }, QUERIES[0]],
      depth: 3,
      onDocuments: (documents) => {
        encoded += documents;
      },
    }),
  );
  await encoder.release();
  expect(encoded).toBe(TEXTS.length);
  expect(lists.map(({ query, ids }) => [query, ids[0]])).toEqual([
    [1, 3],
    [0, 0],
  ]);
  expect(lists[0].ids).toHaveLength(3);
  expect(lists[0].scores[0]).toBeLessThan(1);
});

describe('from a run', () => {
  test('in rank order, whatever the order of the file; other queries are passed over', async () => {
    const run = makeRun('sys', {
      q2: [
        ['d1', 1],
        ['d4', 2],
      ],
      dev: [['x', 1]],
      q0: [['d3', 0.5]],
    });
    expect(await collect(listsFromRun(run, collection))).toEqual([
      { query: 2, ids: Int32Array.of(4, 1), scores: Float32Array.of(2, 1) },
      { query: 0, ids: Int32Array.of(3), scores: Float32Array.of(0.5) },
    ]);
  });

  test('names what it does not know', async () => {
    const foreign = makeRun('sys', { q0: [['x9', 1]] });
    await expect(collect(listsFromRun(foreign, collection))).rejects.toThrow(
      'run sys, query "q0": the collection has no document "x9"',
    );
    await expect(collect(listsFromRun(makeRun('sys', { dev: [['d0', 1]] }), collection))).rejects.toThrow(
      'none of its queries is to be trained on, e.g. "dev"',
    );
  });
});

describe('from training examples', () => {
  test('gathers triples by query and keeps the positives apart', async () => {
    const { lists, positives } = await gatherExamples(
      [
        { queryId: 'q1', positives: [{ id: 'd4' }], negatives: [{ id: 'd2', score: 3 }] },
        { queryId: 'dev', positives: [], negatives: [{ id: 'unknown' }] },
        { queryId: 'q0', positives: [{ id: 'd0' }], negatives: [{ id: 'd1' }, { id: 'd3' }] },
        { queryId: 'q1', positives: [{ id: 'd1' }], negatives: [{ id: 'd2' }, { id: 'd4', score: 1 }] },
      ],
      collection,
    );
    expect(lists).toEqual([
      { query: 1, ids: Int32Array.of(2, 4), scores: Float32Array.of(3, 1) },
      { query: 0, ids: Int32Array.of(1, 3), scores: Float32Array.of(Number.NaN, Number.NaN) },
    ]);
    expect([0, 1, 2].map((query) => [...positives.of(query)])).toEqual([[0], [1, 4], []]);
    const { table } = await mine({
      source: 'static',
      queryCount: 3,
      documentCount: 5,
      depth: 4,
      lists,
      positives: positives.of,
    });
    expect([...table.row(1).ids]).toEqual([2]);
  });

  test('names what it does not know', async () => {
    const unknown = [{ queryId: 'q0', positives: [], negatives: [{ id: 'x9' }] }];
    await expect(gatherExamples(unknown, collection)).rejects.toThrow(
      'examples of query "q0": the collection has no document "x9"',
    );
    await expect(gatherExamples([], collection)).rejects.toThrow('none of their queries');
  });
});

async function* asAsync<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}
