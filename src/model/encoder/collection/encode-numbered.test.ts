import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { lengthOfPieces, splitTokens } from '../../../text/split-tokens.js';
import type { EncodedTexts } from '../encoded-texts.js';
import type { Encoder } from '../encoder.js';
import { smallEncoder, smallTexts } from '../small-encoder.fixture.js';
import { type NumberedTexts, tokenizedTexts } from '../tokenized-texts.js';
import { encodeNumbered } from './encode-numbered.js';
import { ShardFolder } from './shard-folder.js';

const TEXTS = smallTexts(23);
const SPLIT = { maxPieces: 3, pieceLength: 4 };

let folder: string;
let encoder: Encoder;
let collection: NumberedTexts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-numbered-'));
  encoder = await smallEncoder();
  collection = {
    count: TEXTS.length,
    async texts(members) {
      const some = Array.from(members, (member) => TEXTS[member]);
      const pieces = splitTokens(await encoder.tokenize(some, undefined, lengthOfPieces(SPLIT)), SPLIT);
      return tokenizedTexts(pieces, pieces.pieceOffsets);
    },
  };
});
afterAll(async () => {
  await encoder.release();
  await rm(folder, { recursive: true, force: true });
});

let directory: string;
beforeEach(({ task }) => {
  directory = join(folder, task.id);
});

/** Shard by shard, as a pass has to, for the same bits. */
async function expected(shardSize: number): Promise<{ rows: number[]; offsets: number[] }> {
  const [rows, offsets]: number[][] = [[], [0]];
  for (let start = 0; start < TEXTS.length; start += shardSize) {
    const encoded = await encoder.encode(TEXTS.slice(start, start + shardSize), { split: SPLIT });
    const before = rows.length / encoder.dimension;
    offsets.push(...encoded.offsets.slice(1).map((offset) => before + offset));
    rows.push(...encoded.vectors);
  }
  return { rows, offsets };
}

async function rowsOn(shards: AsyncIterable<Float32Array>): Promise<number[]> {
  const rows: number[] = [];
  for await (const shard of shards) rows.push(...shard);
  return rows;
}

test('a pass that is stopped keeps its finished shards, and the next goes on behind them', async () => {
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    if (done === 10) stop.abort();
  };
  const options = { directory, shardSize: 5 };
  await expect(
    encodeNumbered(encoder, collection, { ...options, onProgress, signal: stop.signal }),
  ).rejects.toThrow('aborted');
  expect((await readdir(directory)).sort()).toEqual(['shard-00000.rows', 'shard-00001.rows']);
  const before = await stat(join(directory, 'shard-00001.rows'));

  const progress: number[] = [];
  const encoded = await encodeNumbered(encoder, collection, {
    ...options,
    onProgress: (done) => void progress.push(done),
  });
  expect(progress).toEqual([5, 10, 15, 20, 23]);
  expect((await stat(join(directory, 'shard-00001.rows'))).ino).toBe(before.ino);
  const { rows, offsets } = await expected(5);
  expect([...encoded.offsets]).toEqual(offsets);
  expect(await rowsOn(encoded.shards())).toEqual(rows);
  await encoded.remove();
  await expect(readdir(directory)).rejects.toThrow('ENOENT');
});

test('a shard of another model, of other texts or cut off is made again', async () => {
  await encodeNumbered(encoder, collection, { directory, shardSize: 9 });
  await new ShardFolder(directory, { dimension: 3 }).add(0, {
    vectors: new Float32Array(27),
    offsets: Uint32Array.from({ length: 10 }, (_, i) => i),
  });
  await truncate(join(directory, 'shard-00001.rows'), 100);
  const { shards, remove } = await encodeNumbered(encoder, collection, { directory, shardSize: 9 });
  expect(await rowsOn(shards())).toEqual((await expected(9)).rows);
  const other = await encodeNumbered(encoder, collection, { directory, shardSize: 7 });
  expect(await rowsOn(other.shards())).toEqual((await expected(7)).rows);
  await remove();
  await expect(rowsOn(shards())).rejects.toThrow('gone or changed while it was needed');
});

test('shards are read as they were written', async () => {
  const shards = new ShardFolder(directory, { dimension: 2 });
  const encoded: EncodedTexts = {
    vectors: Float32Array.of(1.5, -2, Number.MIN_VALUE, 4, 0, 3e38),
    offsets: Uint32Array.of(0, 2, 3),
  };
  await shards.add(7, encoded);
  expect(await shards.find(7, 2)).toEqual(encoded);
  expect(await shards.find(7, 3)).toBeUndefined();
  expect(await shards.find(8, 2)).toBeUndefined();
});
