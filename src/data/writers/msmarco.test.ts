import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gather, memoryDataset } from '../data.fixture.js';
import { openDataset } from '../open.js';
import { writeMsmarco } from './msmarco.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-msmarco-'));
});
afterEach(() => rm(folder, { recursive: true }));

const dataset = memoryDataset({
  documents: [
    { id: '1', title: 'A title', text: 'a text with\ta tab\r\nand "lines"' },
    { id: '2', text: 'plain 中文' },
    { id: '3', text: 'third' },
  ],
  queries: [
    { id: 'q1', text: 'first\tquery' },
    { id: 'q2', text: 'second' },
    { id: 'q3', text: 'not judged' },
  ],
  qrels: { train: { q1: { 1: 2, 2: 0 } }, dev: { q2: { 2: 1 } } },
  examples: {
    train: [
      {
        queryId: 'q1',
        positives: [
          { id: '1', score: 3 },
          { id: '2', score: 2 },
        ],
        negatives: [{ id: '3', score: -1.5 }],
      },
      { queryId: 'q2', positives: [{ id: '2' }], negatives: [{ id: '3' }, { id: '1' }] },
    ],
  },
});

test('an id that would be read back as two columns is refused', async () => {
  const out = join(folder, 'out');
  const one = { documents: [{ id: '1', text: 'one' }], queries: [], qrels: {} };
  for (const id of ['a\tb', 'a\nb', 'a b']) {
    const documents = memoryDataset({ ...one, documents: [{ id, text: 'text' }] });
    await expect(writeMsmarco(documents, out)).rejects.toThrow(
      `id ${JSON.stringify(id)}: expected no white space`,
    );
    const queries = memoryDataset({
      ...one,
      queries: [{ id, text: 'text' }],
      qrels: { dev: { [id]: { 1: 1 } } },
    });
    await expect(writeMsmarco(queries, out)).rejects.toThrow(
      `id ${JSON.stringify(id)}: expected no white space`,
    );
  }
  expect(await readdir(folder)).toEqual([]);
});

test('what is written is read back, but for what tables cannot hold', async () => {
  const out = join(folder, 'out');
  await writeMsmarco(dataset, out);
  expect(await readdir(folder)).toEqual(['out']);
  const back = await gather(await openDataset(out));
  expect(back).toEqual({
    documents: [
      { id: '1', text: 'A title a text with a tab and "lines"' },
      { id: '2', text: 'plain 中文' },
      { id: '3', text: 'third' },
    ],
    queries: [
      { id: 'q2', text: 'second' },
      { id: 'q1', text: 'first query' },
    ],
    qrels: { train: { q1: { 1: 2, 2: 0 } }, dev: { q2: { 2: 1 } } },
    examples: {
      train: [
        { queryId: 'q1', positives: [{ id: '1', score: 3 }], negatives: [{ id: '3', score: -1.5 }] },
        { queryId: 'q1', positives: [{ id: '2', score: 2 }], negatives: [{ id: '3', score: -1.5 }] },
        { queryId: 'q2', positives: [{ id: '2' }], negatives: [{ id: '3' }, { id: '1' }] },
      ],
    },
  });
});
