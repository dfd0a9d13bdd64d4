import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, pipeline } from '@huggingface/transformers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readOracle } from '../../../test/oracles.fixture.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { rowsOf } from './encoded-texts.js';
import { Encoder } from './encoder.js';
import { createEncoderModel, type EncoderModel, loadEncoderModel } from './encoder-model.js';
import { saveEncoderModel } from './save-encoder.js';

const TEXTS = [
  'a near miss',
  'the retriever ranks what is close but wrong',
  'miss',
  'Ünïcode, and numbers: 42!',
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-encoder-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function* corpus(): AsyncGenerator<string> {
  yield* TEXTS;
}

async function smallModel(head: Parameters<typeof createEncoderModel>[0]['head']): Promise<EncoderModel> {
  const tokenizer = await trainTokenizer(corpus(), { vocabularySize: 120 });
  return createEncoderModel({ tokenizer, hiddenSize: 16, layers: 2, heads: 2, maxLength: 64, head, seed: 5 });
}

async function vectorsOf(model: EncoderModel, texts = TEXTS): Promise<Float32Array> {
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const { vectors } = await encoder.encode(texts);
  await encoder.release();
  return vectors;
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Array.from(a).reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), 0);
}

const heads = {
  'mean, normalised': { pooling: 'mean', normalize: true },
  'first token': { pooling: 'first', normalize: false },
  'first token + linear + LayerNorm (ANCE)': {
    pooling: 'first',
    projection: 16,
    layerNorm: true,
    normalize: false,
  },
  'mean to 8 dimensions, normalised': { pooling: 'mean', projection: 8, normalize: true },
} as const;

describe.each(Object.entries(heads))('a saved model with head %s', (name, head) => {
  test('loads again without loss, and gives Transformers.js the same vectors', async () => {
    const model = await smallModel(head);
    const path = join(folder, name.replaceAll(/\W+/g, '-'));
    await saveEncoderModel(path, model);
    const loaded = await loadEncoderModel(path);
    expect(loaded.spec).toEqual(model.spec);
    expect(loaded.parameters.buffer).toEqual(model.parameters.buffer);
    expect(loaded.maxLength).toBe(64);

    const expected = await vectorsOf(model);
    expect(await vectorsOf(loaded)).toEqual(expected);
    env.allowRemoteModels = false;
    const extract = await pipeline('feature-extraction', path, { dtype: 'fp32', local_files_only: true });
    const { sentence_embedding } = await extract.model(extract.tokenizer(TEXTS, { padding: true }));
    expect(largestDifference(sentence_embedding.data, expected)).toBeLessThan(1e-4);
    await extract.dispose();
  });
});

test('a vector does not depend on what it is encoded with', async () => {
  const model = await smallModel(heads['mean, normalised']);
  const together = await vectorsOf(model);
  for (const [i, text] of TEXTS.entries()) {
    expect(
      largestDifference(await vectorsOf(model, [text]), together.subarray(i * 16, i * 16 + 16)),
    ).toBeLessThan(1e-6);
  }
});

test('pieces of a text: the first is what is encoded of it alone, a text without content is one', async () => {
  const model = { ...(await smallModel(heads['mean, normalised'])), maxLength: 4 };
  const split = { maxPieces: 2, pieceLength: 4 };
  const encoder = await Encoder.create(model);
  const texts = ['near miss near miss near', '', 'miss'];
  const pieces = await encoder.encode(texts, { split });
  expect([...pieces.offsets]).toEqual([0, 2, 3, 4]);
  const firsts = await encoder.encode(texts);
  expect([...firsts.offsets]).toEqual([0, 1, 2, 3]);
  texts.forEach((_, i) => {
    expect(largestDifference(rowsOf(pieces, i).subarray(0, 16), rowsOf(firsts, i))).toBeLessThan(1e-6);
  });
  const both = rowsOf(pieces, 0);
  expect(both).toHaveLength(32);
  expect(largestDifference(both.subarray(0, 16), both.subarray(16))).toBeGreaterThan(1e-3);
  await encoder.release();
});

test('no texts give no vectors', async () => {
  expect(await vectorsOf(await smallModel(heads['first token']), [])).toHaveLength(0);
});

test('all-MiniLM-L6-v2 equals its public ONNX export (oracles/minilm)', async () => {
  const oracle = readOracle<{ text: string; tokens: number; embedding: number[] }[]>(
    'minilm',
    'expected.json',
  );
  const maxLength = Math.max(...oracle.map(({ tokens }) => tokens));
  const vectors = await vectorsOf(
    await loadEncoderModel('minilm', { maxLength }),
    oracle.map(({ text }) => text),
  );
  const size = oracle[0].embedding.length;
  expect(vectors).toHaveLength(oracle.length * size);
  oracle.forEach(({ text, embedding }, i) => {
    const vector = vectors.subarray(i * size, (i + 1) * size);
    expect(largestDifference(vector, embedding), text).toBeLessThan(2e-3);
    const cosine = embedding.reduce((sum, value, j) => sum + value * vector[j], 0) / Math.hypot(...embedding);
    expect(cosine, text).toBeGreaterThan(0.9999);
  });
});
