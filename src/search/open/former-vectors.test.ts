import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDataset } from '../../data/index.js';
import { openDocumentIndex } from '../../index/vectors/index.js';
import { createEncoderModel, saveEncoderModel } from '../../model/index.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import { type Embedder, LocalEmbedder } from '../embedder.js';
import type { EncodingWork } from '../searcher.js';
import { prepareVectors } from './prepare-vectors.js';

const DIMENSION = 8;
/** More than are kept at once. */
const TEXTS = Array.from({ length: 300 }, (_, i) => `near miss ${'word '.repeat(i % 7)}${i}`);

interface Prepared {
  /** Texts that the model read. */
  encoded: string[];
  /** Documents that were asked for. */
  asked: number[];
  advanced: number;
  /** The first row of each document, by id. */
  rows: Map<string, number[]>;
  /** All rows. */
  vectors: number[];
}

/** A folder of texts that change, and a model that tells what it encodes. */
async function collection({ pooling }: { pooling?: 'tokens' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-former-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [data, cache] = [join(folder, 'data'), join(folder, 'cache')];
  await mkdir(data);
  async function* corpus(): AsyncGenerator<string> {
    yield* TEXTS;
  }
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 100, quiet: true });
  const head = pooling && { head: { pooling, queryMarker: false, documentMarker: false } };
  const model = createEncoderModel({ tokenizer, hiddenSize: DIMENSION, layers: 1, heads: 2, ...head });
  await saveEncoderModel(join(folder, 'model'), model, { onnx: false });
  const local = await LocalEmbedder.open(join(folder, 'model'), { threads: 1 });
  onTestFinished(() => local.close());

  const prepare = async (
    texts: ReadonlyMap<string, string>,
    { stopAfter = Number.POSITIVE_INFINITY, in: place = cache } = {},
  ): Promise<Prepared> => {
    const lines = [...texts].map(([_id, text]) => `${JSON.stringify({ _id, text })}\n`);
    await writeFile(join(data, 'corpus.jsonl'), lines.join(''));
    await writeFile(join(data, 'queries.jsonl'), '{"_id":"q","text":"near"}\n');
    const dataset = await openDataset(data);
    const store = await StoredDocuments.open(join(place, `documents-${Math.random()}`), dataset);
    const told: Prepared = { encoded: [], asked: [], advanced: 0, rows: new Map(), vectors: [] };
    const embedder: Embedder = {
      info: local.info,
      async encode(part, use) {
        if (told.encoded.length >= stopAfter) throw new Error('stopped');
        told.encoded.push(...part);
        return local.encode(part, use);
      },
      close: async () => undefined,
    };
    const mayEncode = ({ documents }: EncodingWork): boolean => {
      told.asked.push(documents);
      return true;
    };
    const onProgress = () => ({
      advance: (units: number) => {
        told.advanced += units;
      },
      finish: () => undefined,
    });
    try {
      const preparation = { dataset, store, cache: place, mayEncode, onProgress };
      const index = (await prepareVectors(preparation, embedder, (path) => openDocumentIndex(path)))!;
      await index.close();
      const [name] = (await readdir(place)).filter((each) => /^vectors-[^.]*$/.test(each));
      const bytes = await readFile(join(place, name, 'vectors.bin'));
      told.vectors = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
      [...texts.keys()].forEach((id, document) => {
        const start = index.vectorsOf(document).first * DIMENSION;
        told.rows.set(id, told.vectors.slice(start, start + DIMENSION));
      });
      return told;
    } finally {
      await store.close();
    }
  };
  return { prepare, cache, fresh: join(folder, 'fresh') };
}

function numbered(texts: readonly string[]): Map<string, string> {
  return new Map(texts.map((text, i) => [`d${i}`, text]));
}

function expectNear(vectors: readonly number[], expected: readonly number[]): void {
  expect(vectors.length).toBe(expected.length);
  expect(Math.max(...vectors.map((value, i) => Math.abs(value - expected[i])))).toBeLessThan(1e-6);
}

test('of a collection that has changed, only the texts are encoded that are new', async () => {
  const { prepare, fresh } = await collection();
  const before = await prepare(numbered(TEXTS));
  expect([before.encoded.length, before.asked]).toEqual([300, [300]]);

  // One is gone, one changed, one new in front, one has another id, and one is there twice.
  const changed = new Map([['new', 'a new text'], ...numbered(TEXTS)]);
  changed.delete('d3');
  changed.set('d280', 'a changed text');
  changed.delete('d5');
  changed.set('renamed', TEXTS[5]);
  changed.set('twice', TEXTS[7]);
  const after = await prepare(changed);
  expect(after.encoded.sort()).toEqual(['a changed text', 'a new text']);
  expect([after.asked, after.advanced]).toEqual([[2], changed.size]);
  expectNear(after.vectors, (await prepare(changed, { in: fresh })).vectors);
  // What was made of the former state is the same to the bit.
  expect(after.rows.get('d299')).toEqual(before.rows.get('d299'));
  expect(after.rows.get('renamed')).toEqual(before.rows.get('d5'));

  // Again, from what was itself taken over; nothing new costs nothing.
  const fewer = await prepare(numbered(TEXTS.slice(10, 100)));
  expect([fewer.encoded, fewer.asked]).toEqual([[], [0]]);
  expect(fewer.rows.get('d0')).toEqual(before.rows.get('d10'));
});

test('what was stopped goes on, and takes the rest from the former state', async () => {
  const { prepare, cache } = await collection();
  await prepare(numbered(TEXTS));
  const changed = numbered([...TEXTS, ...TEXTS.map((text) => `other ${text}`)]);
  await expect(prepare(changed, { stopAfter: 230 })).rejects.toThrow('stopped');
  // 600 documents in shards of 256: in the second, 212 are new.
  expect((await prepare(changed)).encoded.length).toBe(300 - 212);
  expect(
    (await readdir(cache)).filter((name) => /^vectors-/.test(name) && !name.endsWith('.lock')),
  ).toHaveLength(1);
});

test('rows that were damaged are not taken', async () => {
  const { prepare, cache } = await collection();
  await prepare(numbered(TEXTS));
  for (const file of ['vectors.bin', 'digests.bin']) {
    const [name] = (await readdir(cache)).filter((each) => /^vectors-[^.]*$/.test(each));
    const path = join(cache, name, file);
    const bytes = await readFile(path);
    bytes[17] ^= 1;
    await writeFile(path, bytes);
    const texts = TEXTS.slice(0, file === 'vectors.bin' ? 40 : 30);
    expect((await prepare(numbered(texts))).encoded.length).toBe(texts.length);
  }
});

test('several rows a text', async () => {
  const { prepare, fresh } = await collection({ pooling: 'tokens' });
  await prepare(numbered(TEXTS.slice(0, 40)));
  const changed = numbered(['a new text', ...TEXTS.slice(0, 20), ...TEXTS.slice(30, 40)]);
  const after = await prepare(changed);
  expect(after.encoded).toEqual(['a new text']);
  expect(after.vectors.length).toBeGreaterThan(changed.size * DIMENSION);
  expectNear(after.vectors, (await prepare(changed, { in: fresh })).vectors);
});
