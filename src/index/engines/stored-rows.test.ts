import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { documentFiles } from '../vectors/document-files.js';
import { writeVectorIndex } from '../vectors/index.js';
import { IndexFolder } from '../vectors/index-folder.js';
import { clusteredVectors } from '../vectors/vectors.fixture.js';
import { openStoredRows } from './stored-rows.js';

const [COUNT, DIMENSION] = [500, 16];
const vectors = clusteredVectors({
  count: COUNT,
  dimension: DIMENSION,
  clusters: 10,
  seed: 5,
  part: 'vectors',
});
/** Three rows for every two documents. */
const offsets = Uint32Array.from({ length: (COUNT * 2) / 3 + 1 }, (_, i) => Math.floor(i * 1.5));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-stored-rows-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

type Options = Partial<Parameters<typeof writeVectorIndex>[2]>;

async function stored(options: Options): Promise<{ rows: Float32Array; offsets: Uint32Array }> {
  const path = join(folder, 'index');
  async function* blocks(): AsyncGenerator<Float32Array> {
    yield vectors;
  }
  const extra = documentFiles({ offsets: offsets.with(-1, COUNT) });
  await writeVectorIndex(path, blocks(), { type: 'flat', dimension: DIMENSION, extra, ...options });
  const opened = await openStoredRows(await IndexFolder.open(path));
  const rows: number[] = [];
  for await (const block of opened.blocks()) rows.push(...block);
  await opened.close();
  return { rows: Float32Array.from(rows), offsets: opened.offsets };
}

test.each<Options>([
  { type: 'flat' },
  { type: 'int8' },
  { type: 'binary' },
  { type: 'int8', lists: 8 },
  { type: 'int8', dimensions: 4 },
])('%o gives back the vectors that it was made of', async (options) => {
  const { rows, offsets: given } = await stored(options);
  expect(rows).toEqual(vectors);
  expect(given).toEqual(offsets.with(-1, COUNT));
});

test.each<[Options, string]>([
  [{ type: 'flat', dimensions: 4 }, 'has 4 of the 16 numbers of each vector'],
  [{ type: 'hnsw' }, 'a graph of f32 does not give its vectors back'],
])('%o is refused', async (options, message) => {
  await expect(stored(options)).rejects.toThrow(message);
});
