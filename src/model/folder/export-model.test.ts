import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { env, pipeline } from '@huggingface/transformers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Encoder } from '../encoder/encoder.js';
import { loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { exportModel } from './export-model.js';

const TEXTS = [
  'A near miss is something that almost happened.',
  'what is a near miss?',
  'The quick brown fox jumps over the lazy dog.',
  'Anemia has many causes; iron deficiency is the most common of them.',
  'a text that is far too long for this model '.repeat(20),
];
const MAX_LENGTH = 32;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-export-'));
  const model = await loadEncoderModel('minilm', { maxLength: MAX_LENGTH });
  const card = { baseModel: 'minilm', datasets: ['my data (private)'] };
  await saveEncoderModel(join(folder, 'model'), model, { onnx: false, card });
  await exportModel(join(folder, 'model'), join(folder, 'exported'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function inTransformersJs(dtype: 'fp32' | 'q8'): Promise<number[][]> {
  env.allowRemoteModels = false;
  env.localModelPath = dirname(join(folder, 'exported'));
  const extract = await pipeline('feature-extraction', basename(join(folder, 'exported')), { dtype });
  const vectors: number[][] = [];
  // One by one: in a batch, 8-bit activations share the scale of the largest, and come out a little coarser.
  for (const text of TEXTS)
    vectors.push((await extract(text, { pooling: 'mean', normalize: true })).tolist()[0]);
  await extract.dispose();
  return vectors;
}

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, i) => sum + value * b[i], 0);

test("Transformers.js reads both exports, also with dtype 'q8', and cuts long texts as nearmiss does", async () => {
  const encoder = await Encoder.create(await loadEncoderModel(join(folder, 'exported')));
  const { vectors } = await encoder.encode(TEXTS);
  await encoder.release();
  const size = vectors.length / TEXTS.length;
  const own = TEXTS.map((_, i) => vectors.subarray(i * size, (i + 1) * size));
  const full = await inTransformersJs('fp32');
  const quantized = await inTransformersJs('q8');
  for (const [i, vector] of own.entries()) {
    expect(cosine(vector, full[i])).toBeGreaterThan(0.9999);
    expect(cosine(vector, quantized[i])).toBeGreaterThan(0.99);
  }
});

test('8 bits take a quarter of the room', async () => {
  const bytes = async (name: string): Promise<number> =>
    (await stat(join(folder, 'exported/onnx', name))).size;
  expect(await bytes('model_quantized.onnx')).toBeLessThan(0.27 * (await bytes('model.onnx')));
});

test('the card is one that a hub accepts', async () => {
  const front = async (): Promise<Record<string, unknown>> => {
    const card = await readFile(join(folder, 'exported/README.md'), 'utf8');
    return parse(/^---\n([\s\S]*?)\n---\n/.exec(card)![1]);
  };
  expect(await front()).toMatchObject({
    license: 'apache-2.0',
    base_model: 'sentence-transformers/all-MiniLM-L6-v2',
    pipeline_tag: 'sentence-similarity',
    library_name: 'sentence-transformers',
    tags: expect.arrayContaining(['sentence-transformers', 'transformers.js', 'onnx', 'nearmiss']),
  });
  // The name of a folder of this machine is no id.
  expect(await front()).not.toHaveProperty('datasets');
  const facts = { license: 'mit', datasets: ['user/questions'], baseModel: 'user/base', overwrite: true };
  await exportModel(join(folder, 'model'), join(folder, 'exported'), facts);
  expect(await front()).toMatchObject({
    license: 'mit',
    datasets: ['user/questions'],
    base_model: 'user/base',
  });
  await expect(
    exportModel(join(folder, 'model'), join(folder, 'other'), { datasets: ['/home/me/data'] }),
  ).rejects.toThrow('/home/me/data: expected the id of a model or dataset on the hub');
});

test('8-bit weights are read again as a model', async () => {
  const again = await loadEncoderModel(join(folder, 'exported/onnx/model_quantized.onnx'));
  const encoder = await Encoder.create(again);
  const { vectors } = await encoder.encode(TEXTS.slice(0, 1));
  await encoder.release();
  const original = await Encoder.create(await loadEncoderModel(join(folder, 'exported')));
  const expected = await original.encode(TEXTS.slice(0, 1));
  await original.release();
  expect(cosine(vectors, expected.vectors)).toBeGreaterThan(0.99);
});
