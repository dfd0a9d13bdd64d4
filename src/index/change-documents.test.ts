import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IdTable } from '../data/id-table.js';
import { Random } from '../engine/index.js';
import { changeDocumentIndex } from './change-documents.js';
import type { TokenSource } from './tokens/write-token-index.js';
import { IndexFolder } from './vectors/index-folder.js';
import { openDocumentIndex } from './vectors/open.js';
import { openUnchanged } from './vectors/open-unchanged.js';
import { writeDocumentIndex } from './write-documents.js';

const SIZE = 8;
const session = { threads: 1 };

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-change-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Unit vectors, by document: `d0`, `d1`, … */
function vectors(count: number, seed: number): number[][] {
  const random = Random.from(seed, 'vectors');
  return Array.from({ length: count }, () => {
    const values = Array.from({ length: SIZE }, () => random.normal());
    const length = Math.hypot(...values);
    return values.map((value) => value / length);
  });
}

/** Documents with several rows each, or none. */
function source(documents: Record<string, number[][]>): TokenSource {
  const ids = new IdTable();
  const offsets = [0];
  const rows: number[][] = [];
  for (const [id, own] of Object.entries(documents)) {
    ids.add(id);
    rows.push(...own);
    offsets.push(rows.length);
  }
  return {
    ...{ ids, offsets: Uint32Array.from(offsets) },
    async *blocks() {
      yield Float32Array.from(rows.flat());
    },
  };
}

/** All documents that are found, best first, with their scores. */
async function found(folder: string, query: number[]): Promise<[string, number][]> {
  const index = await openDocumentIndex(folder, { session });
  const { ids, scores } = await index.search(Float32Array.from(query), { k: Math.max(1, index.count) });
  await index.close();
  return [...ids].flatMap((id, rank) => (id < 0 ? [] : [[index.ids!.idAt(id), scores[rank]]]));
}

test.each([undefined, 3])(
  'vectors of which the first numbers are kept (%s) are as if they had been there from the start',
  async (dimensions) => {
    const all = vectors(12, 1);
    const named = (places: number[]) =>
      source(Object.fromEntries(places.map((place) => [`d${place}`, [all[place]]])));
    const options = { dimension: SIZE, ...(dimensions && { dimensions }), session };
    const [changed, whole] = [join(root, `changed-${dimensions}`), join(root, `whole-${dimensions}`)];
    await writeDocumentIndex(changed, named([0, 1, 2, 3, 4, 5]), options);
    await changeDocumentIndex(changed, { remove: ['d1', 'd4'] }, { session });
    await changeDocumentIndex(changed, { remove: ['d2'], add: named([2, 6, 7, 8, 9]) }, { session });
    await writeDocumentIndex(whole, named([0, 3, 5, 2, 6, 7, 8, 9]), options);
    expect(await found(changed, all[10])).toEqual(await found(whole, all[10]));
    const { vectors: index } = await openDocumentIndex(changed, { session });
    expect(index.metadata).toMatchObject({ dimension: SIZE, count: 8 });
    await index.close();
  },
);

test('an index that is changed while it is opened is opened as it is then', async () => {
  const folder = join(root, 'meanwhile');
  const [a, b, c] = vectors(3, 3);
  await writeDocumentIndex(folder, source({ one: [a], two: [b] }), { dimension: SIZE, session });
  const closed: number[] = [];
  const opened = (count: number) => ({ count, close: async () => void closed.push(count) });
  let times = 0;
  const read = async () => {
    const { metadata } = await IndexFolder.open(folder);
    if (times++ === 0) await changeDocumentIndex(folder, { add: source({ three: [c] }) }, { session });
    return opened(metadata.count);
  };
  expect((await openUnchanged(folder, read)).count).toBe(3);
  expect(closed).toEqual([2]);

  const damaged = async () => {
    const { metadata } = await IndexFolder.open(folder);
    if (times++ > 2) return opened(metadata.count);
    await changeDocumentIndex(folder, { remove: ['three'] }, { session });
    throw new Error('of two states');
  };
  expect((await openUnchanged(folder, damaged)).count).toBe(2);
  await expect(openUnchanged(folder, () => Promise.reject(new Error('for good')))).rejects.toThrow(
    'for good',
  );
});

test('documents without vectors stay, also where they are the last', async () => {
  const folder = join(root, 'bare');
  const [a, b, c] = vectors(3, 2);
  await writeDocumentIndex(folder, source({ one: [a, b], none: [], two: [c], last: [] }), {
    ...{ dimension: SIZE, session },
  });
  await changeDocumentIndex(folder, { remove: ['one'] }, { session });
  expect((await found(folder, c)).map(([id]) => id)).toEqual(['two']);
  await changeDocumentIndex(folder, { add: source({ one: [b] }) }, { session });
  expect((await found(folder, b)).map(([id]) => id).toSorted()).toEqual(['one', 'two']);
  await changeDocumentIndex(folder, { remove: ['none', 'last'] }, { session });
  expect((await found(folder, b))[0][0]).toBe('one');
});
