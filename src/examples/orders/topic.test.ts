import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillClusterFolder } from './cluster-folder.js';
import type { BatchOrder } from './order.js';
import { topicKind } from './topic.js';

/** Topics of 6, 6 and 2 examples. */
const PLACES = Int32Array.of(0, 1, 2, 0, 1, 0, 1, 0, 1, 2, 0, 1, 0, 1);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-topic-'));
  await fillClusterFolder(folder, PLACES);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = (count = PLACES.length, queries = 4): Promise<BatchOrder> =>
  topicKind.open(
    { file: 'stage:topics' },
    { count, queries, accumulate: 1, seed: 1, stage: 0, locate: async () => folder },
  );

test('a batch is of one topic; one that is too small is filled from another', async () => {
  const order = await open();
  const seen = new Set<number>();
  for (let step = 0; step < 60; step++) {
    const members = order.members(step, 0);
    expect(new Set(members).size).toBe(4);
    const topics = members.map((member) => PLACES[member]);
    seen.add(topics[0]);
    if (topics[0] === 2) expect(topics.filter((topic) => topic === 2)).toHaveLength(2);
    else expect(new Set(topics).size).toBe(1);
  }
  expect(seen.size).toBe(3);
});

test('the same step has the same batch, whoever asks', async () => {
  const [one, other] = [await open(), await open()];
  one.members(3, 0);
  expect(one.members(7, 1)).toEqual(other.members(7, 1));
  expect(one.members(7, 1)).not.toEqual(one.members(8, 1));
});

test('a batch larger than all examples has each once', async () => {
  expect((await open(PLACES.length, 99)).members(0, 0).toSorted((a, b) => a - b)).toEqual([...PLACES.keys()]);
});

test('clusters of other examples, or damaged ones, are refused', async () => {
  await expect(open(15)).rejects.toThrow('expected clusters of 15 examples, got 14');
  const path = join(folder, 'clusters.bin');
  const content = await readFile(path);
  content[0] ^= 1;
  await writeFile(path, content);
  await expect(open()).rejects.toThrow('clusters.bin: its content is not what was written');
});
