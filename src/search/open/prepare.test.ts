import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEncoderModel, Encoder, saveEncoderModel } from '../../model/index.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { openSearcher } from './open-searcher.js';

/** More than are encoded at once. */
const DOCUMENTS = 1100;

test('encoding a collection goes on where it was stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-prepare-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [data, cache] = [join(folder, 'data'), join(folder, 'data', '.nearmiss')];
  const texts = Array.from({ length: DOCUMENTS }, (_, i) => `near miss ${i % 7 ? 'a' : 'b'} ${i}`);
  await mkdir(data);
  const lines = texts.map((text, i) => `${JSON.stringify({ _id: `d${i}`, text })}\n`);
  await writeFile(join(data, 'corpus.jsonl'), lines.join(''));
  await writeFile(join(data, 'queries.jsonl'), '{"_id":"q","text":"near"}\n');
  async function* corpus(): AsyncGenerator<string> {
    yield* texts;
  }
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 100, quiet: true });
  const model = createEncoderModel({ tokenizer, hiddenSize: 8, layers: 1, heads: 2 });
  await saveEncoderModel(join(folder, 'model'), model, { onnx: false });

  const done: number[] = [];
  const open = (advance: (documents: number) => void) => {
    const watch = (label: string) => (label.startsWith('encode') ? advance : () => undefined);
    const options: OpenSearcherOptions = {
      model: join(folder, 'model'),
      modes: ['dense'],
      threads: 1,
      onProgress: ({ label }) => ({ advance: watch(label), finish: () => undefined }),
    };
    return openSearcher(data, options);
  };
  const stopped = open(() => {
    throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  const [shards] = (await readdir(cache)).filter((name) => name.endsWith('.shards'));
  expect(await readdir(join(cache, shards))).toEqual(['shard-00000.rows']);

  // A mark in the first row: what is found again is not encoded again.
  const path = join(cache, shards, 'shard-00000.rows');
  const shard = await readFile(path);
  const rows = shard.length - 1024 * 8 * 4;
  shard.writeFloatLE(42, rows);
  await writeFile(path, shard);
  const searcher = await open((documents) => void done.push(documents));
  expect(done).toEqual([1024, 76]);
  const [hits] = await searcher.searchVectors(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), { k: DOCUMENTS });
  expect(hits[0]).toEqual({ id: 'd0', score: 42 });
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const { vectors } = await encoder.encode(texts, { use: 'document' });
  await encoder.release();
  for (const { id, score } of hits.slice(1)) expect(score).toBeCloseTo(vectors[8 * Number(id.slice(1))], 5);
  await searcher.close();
  expect((await readdir(cache)).filter((name) => name.endsWith('.shards'))).toEqual([]);
});
