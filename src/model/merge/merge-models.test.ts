import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillNormal, randomKey } from '../../engine/index.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { CrossEncoder } from '../cross-encoder/cross-encoder.js';
import {
  createCrossEncoder,
  loadCrossEncoder,
  saveCrossEncoder,
} from '../cross-encoder/cross-encoder-model.js';
import { Encoder } from '../encoder/encoder.js';
import {
  createEncoderModel,
  type EncoderModel,
  loadEncoderModel,
  type ScratchModelOptions,
} from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { openModelFolder } from '../folder/model-folder.js';
import { mergeModels } from './merge-models.js';
import { mixParameters } from './mix-parameters.js';

let root: string;
let wordPiece: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-merge-'));
  ({ wordPiece } = await tokenizerJsons());
  await saveEncoderModel(join(root, 'a'), await model(1));
  await saveEncoderModel(join(root, 'b'), await model(2));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function model(seed: number, options: Partial<ScratchModelOptions> = {}): Promise<EncoderModel> {
  const tokenizer = options.tokenizer ?? (await Tokenizer.fromJson(wordPiece));
  const made = createEncoderModel({
    hiddenSize: 16,
    layers: 2,
    heads: 2,
    maxLength: 24,
    ...options,
    tokenizer,
  });
  for (const name of made.parameters.names) fillNormal(made.parameters.get(name), 0.3, randomKey(seed, name));
  return made;
}

const at = (...names: string[]): string[] => names.map((name) => join(root, name));

test('every parameter is the weighted mean of theirs, in 64 bits', async () => {
  const out = join(root, 'mean');
  const merged = await mergeModels({ models: at('a', 'b'), weights: [3, 1], out });
  expect(merged.models.map(({ share }) => share)).toEqual([0.75, 0.25]);
  const [a, b, mean] = await Promise.all([...at('a', 'b'), out].map((folder) => loadEncoderModel(folder)));
  expect(merged.parameters).toBe(mean.parameters.buffer.length);
  for (const name of mean.parameters.names) {
    const [x, y] = [a.parameters.get(name), b.parameters.get(name)];
    expect(mean.parameters.get(name)).toEqual(x.map((value, i) => Math.fround(0.75 * value + 0.25 * y[i])));
  }
});

test('the folder is complete: it encodes, and has tokenizer, card and an export that gives the same', async () => {
  const out = join(root, 'complete');
  await mergeModels({ models: at('a', 'b'), out });
  expect(await readdir(out)).toEqual(expect.arrayContaining(['tokenizer.json', 'modules.json', 'README.md']));
  const card = await readFile(join(out, 'README.md'), 'utf8');
  expect(card).toContain('# complete');
  expect(card).toMatch(/share of .*b \| 0\.5/);
  const vectorOf = async (from: string): Promise<Float32Array> => {
    const encoder = await Encoder.create(await loadEncoderModel(from), { session: { threads: 1 } });
    const { vectors } = await encoder.encode(['a near miss']);
    await encoder.release();
    return vectors;
  };
  const exported = await vectorOf(join(out, 'onnx', 'model.onnx'));
  for (const [i, value] of (await vectorOf(out)).entries()) expect(exported[i]).toBeCloseTo(value, 5);
  const { weights } = await openModelFolder(out);
  await weights.close();
});

test('a model with all the weight is copied bit by bit, and a mix of one model with itself is that model', async () => {
  const a = await model(1);
  const b = await model(2);
  const mixed = await model(3);
  mixParameters(mixed.parameters, [
    { parameters: b.parameters, weight: 0 },
    { parameters: a.parameters, weight: 7 },
  ]);
  expect(mixed.parameters.buffer).toEqual(a.parameters.buffer);
  // In place, as a stage does it.
  mixParameters(a.parameters, [
    { parameters: mixed.parameters, weight: 0.3 },
    { parameters: a.parameters, weight: 0.7 },
  ]);
  const off = a.parameters.buffer.map((value, i) => Math.abs(value - mixed.parameters.buffer[i]));
  expect(Math.max(...off)).toBeLessThan(1e-6);
});

test('cross-encoders are merged with their scoring layers', async () => {
  for (const seed of [1, 2]) {
    const cross = createCrossEncoder(await model(seed), { seed });
    await saveCrossEncoder(join(root, `cross${seed}`), cross);
  }
  const out = join(root, 'cross');
  const merged = await mergeModels({ models: at('cross1', 'cross2'), out });
  expect(merged.kind).toBe('cross-encoder');
  const [x, y, mean] = await Promise.all(
    [...at('cross1', 'cross2'), out].map(
      async (folder) => (await loadCrossEncoder(folder)).parameters.buffer,
    ),
  );
  expect(mean).toEqual(x.map((value, i) => Math.fround(value / 2 + y[i] / 2)));
  const scorer = await CrossEncoder.create(await loadCrossEncoder(out), { session: { threads: 1 } });
  expect(await scorer.score('near', ['a miss'])).toHaveLength(1);
  await scorer.release();
});

test('two towers are merged each with its own', async () => {
  for (const [nth, name] of ['towers1', 'towers2'].entries()) {
    await mkdir(join(root, name));
    await saveEncoderModel(join(root, name, 'query'), await model(10 + nth));
    await saveEncoderModel(join(root, name, 'document'), await model(20 + nth));
  }
  const out = join(root, 'towers');
  expect(await mergeModels({ models: at('towers1', 'towers2'), out })).toMatchObject({ kind: 'two towers' });
  for (const side of ['query', 'document']) {
    const [x, y, mean] = await Promise.all(
      [...at('towers1', 'towers2'), out].map(
        async (folder) => (await loadEncoderModel(join(folder, side))).parameters.buffer,
      ),
    );
    expect(mean).toEqual(x.map((value, i) => Math.fround(value / 2 + y[i] / 2)));
  }
  await expect(mergeModels({ models: at('a', 'towers1'), out: join(root, 'no') })).rejects.toThrow(
    /towers1: expected a model of the kind of .*a \(encoder\), got two towers/,
  );
});

describe('models that cannot be merged', () => {
  test.each<[string, Partial<ScratchModelOptions>, RegExp]>([
    [
      'another width',
      { hiddenSize: 8 },
      /other: embeddings\.word_embeddings\.weight: expected \[\d+, 16\] .*got \[\d+, 8\]/,
    ],
    ['more layers', { layers: 3 }, /other: encoder\.layer\.2\.\S+: expected no such parameter/],
    ['fewer layers', { layers: 1 }, /other: encoder\.layer\.1\.\S+: expected \[16, 16\] .*got none/],
    ['other heads', { heads: 4 }, /other: heads: expected 2 as in .*a, got 4/],
    [
      'another pooling',
      { head: { pooling: 'first' } },
      /other: pooling: expected "mean" as in .*a, got "first"/,
    ],
    [
      'no normalisation',
      { head: { normalize: false } },
      /other: normalize: expected true as in .*a, got false/,
    ],
    ['a projection', { head: { projection: 16 } }, /other: head\.linear\.weight: expected no such parameter/],
  ])('%s', async (name, options, message) => {
    const folder = join(root, name, 'other');
    await saveEncoderModel(folder, await model(3, options));
    await expect(mergeModels({ models: [...at('a'), folder], out: join(root, 'no') })).rejects.toThrow(
      message,
    );
    expect(await readdir(root)).not.toContain('no');
  });

  test('another vocabulary of the same size', async () => {
    const json = JSON.parse(wordPiece);
    const [first, second] = Object.keys(json.model.vocab).slice(-2);
    const { [first]: x, [second]: y } = json.model.vocab;
    Object.assign(json.model.vocab, { [first]: y, [second]: x });
    const tokenizer = await Tokenizer.fromJson(JSON.stringify(json));
    await saveEncoderModel(join(root, 'words'), await model(3, { tokenizer }));
    await expect(mergeModels({ models: at('a', 'words'), out: join(root, 'no') })).rejects.toThrow(
      /words: its tokenizer\.json is not that of .*a/,
    );
  });

  test('a tokenizer that only pads differently is the same', async () => {
    const padding = {
      strategy: { Fixed: 12 },
      direction: 'Right',
      pad_to_multiple_of: null,
      pad_id: 0,
      pad_type_id: 0,
      pad_token: '[PAD]',
    };
    const tokenizer = await Tokenizer.fromJson(JSON.stringify({ ...JSON.parse(wordPiece), padding }));
    await saveEncoderModel(join(root, 'padded'), await model(3, { tokenizer }));
    await expect(mergeModels({ models: at('a', 'padded'), out: join(root, 'fine') })).resolves.toBeDefined();
  });

  test.each([
    [[1], /weights: expected 2, one for each model, got 1/],
    [[1, -1], /weights: expected numbers from 0, got -1/],
    [[0, 0], /at least one above 0/],
    [[1, Number.NaN], /got NaN/],
  ])('weights %j', async (weights, message) => {
    await expect(mergeModels({ models: at('a', 'b'), weights, out: join(root, 'no') })).rejects.toThrow(
      message,
    );
  });

  test('an --out that is there is left alone', async () => {
    await expect(mergeModels({ models: at('a', 'b'), out: join(root, 'b') })).rejects.toThrow(/b/);
    expect((await loadEncoderModel(join(root, 'b'))).parameters.buffer).toEqual(
      (await model(2)).parameters.buffer,
    );
  });
});
