import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { mine } from '../mine.js';
import { readCandidateRow } from './candidate-row.js';
import type { CandidateTable } from './candidate-table.js';

const POSITIVES = [[2], [0, 1, 3], []].map((ids) => Int32Array.from(ids));
let folder: string;
let table: CandidateTable;

beforeEach(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'nearmiss-row-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  folder = join(parent, 'table');
  const lists = [0, 1].map((query) => ({
    query,
    ids: Int32Array.from([3, 1, 2, 0]),
    scores: Float32Array.from([0.9, 0.5, 0.25, Number.NaN]),
  }));
  const options = { queryCount: 3, documentCount: 4, depth: 4, source: 'ann', checkpoint: 7 } as const;
  ({ table } = await mine({ ...options, lists, positives: (query) => POSITIVES[query] }));
  await table.save(folder);
});

test.each([0, 1, 2])('row %i is the one that the whole table has', async (query) => {
  const { ids, scores, ranks, checkpoint } = await readCandidateRow(folder, query);
  expect({ ids, scores, ranks }).toEqual(table.row(query));
  expect(checkpoint).toBe(table.checkpoints[query]);
});

test('the manifest comes with it', async () => {
  const { manifest } = await readCandidateRow(folder, 0);
  expect(manifest).toMatchObject({ source: 'ann', depth: 4, report: { removed: { 'known-positives': 4 } } });
});

test('a query that the table does not have, and a cut file, are errors', async () => {
  await expect(readCandidateRow(folder, 3)).rejects.toThrow('expected a query below 3, got 3');
  await truncate(join(folder, 'scores.bin'), 20);
  await expect(readCandidateRow(folder, 0)).rejects.toThrow(/scores\.bin: the file is cut off/);
});
