import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import { type OpenRun, openRun } from '../../run/open-run.js';
import { START_FOLDER } from '../../run/run-directory.js';
import { startRun } from '../run.fixture.js';
import { writeSynonyms } from '../synonyms.fixture.js';
import { encodeCorpus, removeShards } from './corpus-encoder.js';

let folder: string;
let opened: OpenRun;
let encoder: Encoder;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-corpus-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
  const run = await startRun(folder, 'run');
  opened = await openRun(run.path, { quiet: true });
  const model = await loadSide(run.file(START_FOLDER), 'documents');
  encoder = await Encoder.create(model, { session: { threads: 1 } });
});
afterAll(async () => {
  await encoder.release();
  await opened.data.close();
  await rm(folder, { recursive: true, force: true });
});

test('a pass that is stopped keeps its finished shards, and the next goes on behind them', async () => {
  const { documents } = opened.data;
  const directory = join(folder, 'shards');
  const stop = new AbortController();
  const onProgress = (done: number): void => {
    if (done === 10) stop.abort();
  };
  const stopped = encodeCorpus({
    documents,
    encoder,
    directory,
    shardSize: 5,
    onProgress,
    signal: stop.signal,
  });
  await expect(stopped).rejects.toThrow('aborted');
  expect((await readdir(directory)).sort()).toEqual(['shard-00000.f32', 'shard-00001.f32']);
  const before = await stat(join(directory, 'shard-00001.f32'));

  const { shards, documentOf } = await encodeCorpus({ documents, encoder, directory, shardSize: 5 });
  expect((await stat(join(directory, 'shard-00001.f32'))).ino).toBe(before.ino);
  expect(documentOf).toBeUndefined();
  const found: number[] = [];
  for await (const shard of shards()) found.push(...shard);
  const { texts } = await documents.texts(Array.from({ length: documents.count }, (_, i) => i));
  expect(found.length).toBe(documents.count * encoder.dimension);
  const whole = await encoder.encodeTokens(texts);
  found.forEach((value, i) => {
    expect(value).toBeCloseTo(whole[i], 5);
  });
  await removeShards(directory);
  await expect(readdir(directory)).rejects.toThrow('ENOENT');
});
