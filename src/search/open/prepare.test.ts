import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createEncoderModel, Encoder, saveEncoderModel } from '../../model/index.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { openSearcher } from './open-searcher.js';

/** More than are kept at once. */
const DOCUMENTS = 300;
const KEPT_AT_ONCE = 256;

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
  let encoded = 0;
  const stopped = open((documents) => {
    encoded += documents;
    if (encoded > KEPT_AT_ONCE) throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  const [shards] = (await readdir(cache)).filter((name) => name.endsWith('.shards'));
  expect(await readdir(join(cache, shards))).toEqual(['shard-00000.rows']);

  // A mark in the first row: what is found again is not encoded again.
  const path = join(cache, shards, 'shard-00000.rows');
  const shard = await readFile(path);
  const rows = shard.length - KEPT_AT_ONCE * 8 * 4;
  shard.writeFloatLE(42, rows);
  shard.writeUInt32LE(crc32(shard.subarray(12)), 8);
  await writeFile(path, shard);
  const searcher = await open((documents) => void done.push(documents));
  expect(done).toEqual([KEPT_AT_ONCE, 16, 16, 12]);
  const [hits] = await searcher.searchVectors(Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0), { k: DOCUMENTS });
  expect(hits[0]).toEqual({ id: 'd0', score: 42 });
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const { vectors } = await encoder.encode(texts, { use: 'document' });
  await encoder.release();
  for (const { id, score } of hits.slice(1)) expect(score).toBeCloseTo(vectors[8 * Number(id.slice(1))], 5);
  await searcher.close();
  expect((await readdir(cache)).filter((name) => name.endsWith('.shards'))).toEqual([]);
});

test('a collection is searched by words and by the bundled model, without a word about it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-bundled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'cat.md'), '# Cats\n\nThe kitten sleeps all day long on the sofa.\n');
  await writeFile(join(folder, 'tax.md'), '# Taxes\n\nDeclare your yearly income to the authority.\n');

  const asked: number[] = [];
  const mayEncode = (answer: boolean): OpenSearcherOptions => ({
    threads: 1,
    collectionModel: 'minilm',
    mayEncode: ({ documents }) => {
      asked.push(documents);
      return answer;
    },
  });
  const words = await openSearcher(folder, mayEncode(false));
  expect([words.modes, words.defaultMode]).toEqual([['bm25'], 'bm25']);
  await words.close();
  const both = await openSearcher(folder, mayEncode(true));
  expect([both.modes, both.defaultMode]).toEqual([['bm25', 'dense', 'hybrid'], 'hybrid']);
  // Not a word of the document is in the query.
  const [hits] = await both.retriever('hybrid').search(['a feline napping'], { k: 1 });
  expect(hits[0].id).toBe('cat.md#1');
  await both.close();

  // Vectors that are there are used without asking; what needs none opens none.
  const again = await openSearcher(folder, mayEncode(false));
  expect(again.defaultMode).toBe('hybrid');
  await again.close();
  expect(asked).toEqual([2, 2]);
  const plain = await openSearcher(folder, { collectionModel: 'minilm', modes: ['bm25'] });
  expect(plain.model).toBeUndefined();
  await plain.close();
});
