import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AutoModelForSequenceClassification, AutoTokenizer, env } from '@huggingface/transformers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillNormal, randomKey } from '../../engine/index.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import type { EncoderConfig } from '../encoder/config.js';
import { Encoder } from '../encoder/encoder.js';
import { createEncoderModel, type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { SafetensorsFile, writeSafetensors } from '../tensors/safetensors.js';
import { CrossEncoder } from './cross-encoder.js';
import { SCORE_NAMES } from './cross-encoder-graph.js';
import {
  type CrossEncoderModel,
  createCrossEncoder,
  loadCrossEncoder,
  saveCrossEncoder,
} from './cross-encoder-model.js';
import { isCrossEncoder } from './cross-encoder-names.js';

const QUERY = 'near a miss';
const TEXTS = ['near misses', 'b', 'a near miss near a miss, a b near a miss near a miss near a miss', ''];

let root: string;
let bert: CrossEncoderModel;
let roberta: CrossEncoderModel;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-cross-encoder-'));
  const jsons = await tokenizerJsons();
  bert = await randomModel(jsons.wordPiece, 'bert');
  roberta = await randomModel(jsons.roberta, 'roberta');
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Weights large enough for scores to differ. */
async function randomModel(
  json: string,
  architecture: EncoderConfig['architecture'],
): Promise<CrossEncoderModel> {
  const tokenizer = await Tokenizer.fromJson(json);
  const encoder = createEncoderModel({ tokenizer, hiddenSize: 16, layers: 3, heads: 2, maxLength: 40 });
  if (architecture === 'roberta') {
    Object.assign(encoder.spec.config, {
      architecture,
      modelType: architecture,
      positionOffset: tokenizer.padId + 1,
    });
  }
  const model = createCrossEncoder({ ...encoder, name: `small-${architecture}`, maxLength: 24 });
  for (const name of model.parameters.names) fillNormal(model.parameters.get(name), 0.3, randomKey(1, name));
  return model;
}

async function scoresOf(model: CrossEncoderModel): Promise<Float32Array> {
  const crossEncoder = await CrossEncoder.create(model, { session: { threads: 1 } });
  const scores = await crossEncoder.score(QUERY, TEXTS);
  await crossEncoder.release();
  return scores;
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  Array.from(actual).forEach((value, i) => {
    expect(Math.abs(value - expected[i]), `at ${i}: ${value} and ${expected[i]}`).toBeLessThan(tolerance);
  });
}

describe.each(['bert', 'roberta'] as const)('%s', (architecture) => {
  const modelOf = (): CrossEncoderModel => (architecture === 'bert' ? bert : roberta);

  test('saved and loaded it scores the same, here and in Transformers.js', async () => {
    const model = modelOf();
    const folder = join(root, architecture);
    await saveCrossEncoder(folder, model);
    expect(await isCrossEncoder(folder)).toBe(true);
    const loaded = await loadCrossEncoder(folder);
    expect({ spec: loaded.spec, maxLength: loaded.maxLength }).toEqual({ spec: model.spec, maxLength: 24 });
    const scores = await scoresOf(model);
    expect(new Set(scores).size).toBe(TEXTS.length);
    expect(await scoresOf(loaded)).toEqual(scores);

    Object.assign(env, { allowRemoteModels: false, localModelPath: `${root}/` });
    const tokenizer = await AutoTokenizer.from_pretrained(architecture);
    const theirs = await AutoModelForSequenceClassification.from_pretrained(architecture, { dtype: 'fp32' });
    // Its tokenizer cuts pairs by another rule and takes an empty second text for none.
    const whole = [0, 1];
    const inputs = tokenizer(
      whole.map(() => QUERY),
      { text_pair: whole.map((i) => TEXTS[i]), padding: true },
    );
    const { logits } = await theirs(inputs);
    expectClose(
      logits.data,
      whole.map((i) => scores[i]),
      1e-5,
    );
  });

  test('the score is a linear layer over the pooled first token', async () => {
    const { spec, parameters, tokenizer, maxLength, name } = modelOf();
    const encoder = await Encoder.create(
      {
        name,
        spec: { ...spec, head: { pooling: 'first', normalize: false } },
        parameters,
        tokenizer,
        maxLength,
        prompts: {},
        lowercase: false,
      } satisfies EncoderModel,
      { session: { threads: 1 } },
    );
    const batch = await tokenizer.encodePairs([[QUERY, TEXTS[0]]], { maxLength });
    const { vectors: state } = await encoder.encodeTokens({
      texts: [{ ids: batch.ids, types: batch.typeIds }],
      offsets: [0, 1],
    });
    await encoder.release();
    const get = (key: keyof typeof SCORE_NAMES): Float32Array => parameters.get(SCORE_NAMES[key]);
    const dot = (row: Float32Array, x: Float32Array): number => row.reduce((sum, w, i) => sum + w * x[i], 0);
    const pooled = state.map((_, i) =>
      Math.tanh(dot(get('poolerWeight').subarray(i * 16, (i + 1) * 16), state) + get('poolerBias')[i]),
    );
    expectClose(
      (await scoresOf(modelOf())).subarray(0, 1),
      [dot(get('scoreWeight'), pooled) + get('scoreBias')[0]],
      1e-5,
    );
  });

  test('pairs of encoded texts are joined as pairs of texts are encoded', async () => {
    const { tokenizer } = modelOf();
    const texts = [QUERY, ...TEXTS];
    const maxLength = 17;
    const single = await tokenizer.encodeBatch(texts, { maxLength });
    const at = (i: number): Int32Array => single.ids.subarray(single.offsets[i], single.offsets[i + 1]);
    for (const [i, text] of texts.entries()) {
      const { ids, typeIds } = await tokenizer.encodePairs([[QUERY, text]], { maxLength });
      expect(tokenizer.joinPair(at(0), at(i), { maxLength })).toEqual({ ids, typeIds });
    }
  });
});

test('the folder has the names and shapes of BertForSequenceClassification', async () => {
  const folder = join(root, 'names');
  await saveCrossEncoder(folder, bert, { onnx: false });
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
  expect(config).toMatchObject({
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'LABEL_0' },
  });
  const file = await SafetensorsFile.open(join(folder, 'model.safetensors'));
  expect(file.shape('classifier.weight')).toEqual([1, 16]);
  expect(file.shape('classifier.bias')).toEqual([1]);
  expect(file.shape('bert.pooler.dense.weight')).toEqual([16, 16]);
  expect([...file.tensors.keys()].every((name) => /^(bert|classifier)\./.test(name))).toBe(true);
  await file.close();
  expect(await readFile(join(folder, 'README.md'), 'utf8')).toContain('pipeline_tag: text-ranking');
});

test('minilm gets new scoring layers, the same for the same seed', async () => {
  const [a, b, c] = await Promise.all(
    [1, 1, 2].map((seed) => loadCrossEncoder('minilm', { newHead: true, layers: 1, maxLength: 64, seed })),
  );
  const bytes = ({ parameters }: CrossEncoderModel): Buffer => Buffer.from(parameters.buffer.buffer);
  expect(bytes(a).equals(bytes(b))).toBe(true);
  const { scoreWeight } = SCORE_NAMES;
  expect(a.parameters.get(scoreWeight)).not.toEqual(c.parameters.get(scoreWeight));
  const encoder = await loadEncoderModel('minilm', { layers: 1 });
  expect(createCrossEncoder(encoder, { seed: 1 }).parameters.get(scoreWeight)).toEqual(
    a.parameters.get(scoreWeight),
  );
});

test('an encoder of vectors is not taken for a cross-encoder', async () => {
  const folder = join(root, 'encoder');
  const { tokenizer } = bert;
  await saveEncoderModel(folder, createEncoderModel({ tokenizer, hiddenSize: 16, layers: 1, heads: 2 }), {
    onnx: false,
  });
  expect(await isCrossEncoder(folder)).toBe(false);
  await expect(loadCrossEncoder(folder)).rejects.toThrow(
    'not a cross-encoder: its weights have no "classifier.weight"',
  );
});

test('a classifier of several labels is refused', async () => {
  const folder = join(root, 'labels');
  await saveCrossEncoder(folder, bert, { onnx: false });
  const path = join(folder, 'model.safetensors');
  const file = await SafetensorsFile.open(path);
  const tensors = await Promise.all(
    [...file.tensors.keys()].map(async (name) => {
      if (name === 'classifier.weight') return { name, shape: [3, 16], data: new Float32Array(48) };
      const shape = file.shape(name);
      return { name, shape, data: await file.read(name, shape) };
    }),
  );
  await file.close();
  await writeFile(path, '');
  await writeSafetensors(path, tensors);
  await expect(loadCrossEncoder(folder)).rejects.toThrow(
    'expected a cross-encoder with one score, got one with 3 labels',
  );
});
