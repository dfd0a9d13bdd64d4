import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, pipeline } from '@huggingface/transformers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fillNormal, ParameterStore, randomKey } from '../../engine/index.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { Tokenizer } from '../../text/tokenizer.js';
import { writeSafetensors } from '../tensors/safetensors.js';
import type { EncoderConfig } from './config.js';
import { Encoder } from './encoder.js';
import { type EncoderSpec, encoderParameters } from './encoder-graph.js';
import { createEncoderModel, type EncoderModel, loadEncoderModel } from './encoder-model.js';
import { saveEncoderModel } from './save-encoder.js';

const TEXTS = ['near miss', 'a', 'near misses near a miss, a b'];

const CONFIG: EncoderConfig = {
  architecture: 'roberta',
  modelType: 'roberta',
  hiddenSize: 16,
  layers: 3,
  heads: 2,
  intermediateSize: 32,
  vocabularySize: 0,
  maxPositions: 34,
  typeVocabularySize: 1,
  layerNormEps: 1e-5,
  hiddenAct: 'gelu',
  hiddenDropout: 0.1,
  attentionDropout: 0.1,
  padTokenId: 1,
  positionOffset: 2,
};

let root: string;
let roberta: EncoderModel;
/** A saved RoBERTa of three layers; tests that break it copy it first. */
let saved: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-encoder-model-'));
  await writeFile(join(root, 'tokenizer.json'), (await tokenizerJsons()).roberta);
  const tokenizer = await Tokenizer.load(root);
  const config = { ...CONFIG, vocabularySize: tokenizer.vocabularySize, padTokenId: tokenizer.padId };
  const spec: EncoderSpec = {
    config: { ...config, positionOffset: tokenizer.padId + 1 },
    head: { pooling: 'mean', normalize: true },
  };
  const parameters = new ParameterStore(encoderParameters(spec));
  for (const name of parameters.names) fillNormal(parameters.get(name), 0.3, randomKey(1, name));
  roberta = {
    name: 'small-roberta',
    spec,
    parameters,
    tokenizer,
    maxLength: 30,
    prompts: {},
    lowercase: false,
  };
  saved = join(root, 'saved');
  await saveEncoderModel(saved, roberta);
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function vectorsOf(model: EncoderModel): Promise<Float32Array> {
  const encoder = await Encoder.create(model, { session: { threads: 1 } });
  const { vectors } = await encoder.encode(TEXTS);
  await encoder.release();
  return vectors;
}

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Array.from(a).reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i])), 0);
}

describe('RoBERTa', () => {
  test('saved and loaded it gives Transformers.js the same vectors', async () => {
    const loaded = await loadEncoderModel(saved);
    expect(loaded.spec).toEqual(roberta.spec);
    const expected = await vectorsOf(roberta);
    expect(await vectorsOf(loaded)).toEqual(expected);
    env.allowRemoteModels = false;
    const extract = await pipeline('feature-extraction', saved, { dtype: 'fp32', local_files_only: true });
    const result = await extract(TEXTS, { pooling: 'mean', normalize: true });
    expect(largestDifference(result.data as Float32Array, expected)).toBeLessThan(1e-5);
    await extract.dispose();
  });

  test("positions start behind the padding's row", async () => {
    const before = await vectorsOf(roberta);
    const table = roberta.parameters.get('embeddings.position_embeddings.weight');
    const { positionOffset, hiddenSize } = roberta.spec.config;
    const rows = table.slice();
    const unused = table.subarray(0, positionOffset * hiddenSize);
    const firstUsed = table.subarray(positionOffset * hiddenSize, (positionOffset + 1) * hiddenSize);
    try {
      fillNormal(unused, 1, randomKey(2));
      expect(await vectorsOf(roberta)).toEqual(before);
      fillNormal(firstUsed, 1, randomKey(3));
      expect(largestDifference(await vectorsOf(roberta), before)).toBeGreaterThan(1e-3);
    } finally {
      table.set(rows);
    }
  });
});

describe('changes at loading', () => {
  test('fewer layers: the same weights, and what the lower layers alone compute', async () => {
    const two = await loadEncoderModel(saved, { layers: 2 });
    expect(two.spec.config.layers).toBe(2);
    expect(two.parameters.names.some((name) => name.startsWith('encoder.layer.2.'))).toBe(false);
    for (const name of two.parameters.names)
      expect(two.parameters.get(name)).toEqual(roberta.parameters.get(name));
    expect(largestDifference(await vectorsOf(two), await vectorsOf(roberta))).toBeGreaterThan(1e-3);
  });

  test.each([0, 4])('%i layers of three cannot be kept', async (layers) => {
    await expect(loadEncoderModel(saved, { layers })).rejects.toThrow(
      `${saved}: expected layers from 1 to 3, got ${layers}`,
    );
  });

  test('a projection to 64: initialised by the seed, saved and loaded', async () => {
    const projected = await loadEncoderModel(saved, { head: { projection: 64 }, seed: 3 });
    const again = await loadEncoderModel(saved, { head: { projection: 64 }, seed: 3 });
    const other = await loadEncoderModel(saved, { head: { projection: 64 }, seed: 4 });
    expect(again.parameters.buffer).toEqual(projected.parameters.buffer);
    expect(other.parameters.buffer).not.toEqual(projected.parameters.buffer);
    const vectors = await vectorsOf(projected);
    expect(vectors).toHaveLength(TEXTS.length * 64);
    for (let i = 0; i < TEXTS.length; i++)
      expect(Math.hypot(...vectors.subarray(i * 64, i * 64 + 64))).toBeCloseTo(1, 5);
    const path = join(root, 'projected');
    await saveEncoderModel(path, projected);
    expect(await vectorsOf(await loadEncoderModel(path))).toEqual(vectors);
  });

  test('lengths that the model has no positions for', async () => {
    await expect(loadEncoderModel(saved, { maxLength: 500 })).rejects.toThrow(
      /maxLength: expected 3 to \d+ tokens/,
    );
  });
});

describe('what is wrong with a model is said', () => {
  type Tensors = Parameters<typeof writeSafetensors>[1];

  const rewriteWeights = (change: (tensors: Tensors) => Tensors) => async (folder: string) => {
    const tensors = roberta.parameters.specs.map(({ name, shape }) => ({
      name,
      shape: [...shape],
      data: roberta.parameters.get(name),
    }));
    await writeSafetensors(join(folder, 'model.safetensors'), change(tensors));
  };
  const rewriteConfig = (change: object) => async (folder: string) => {
    const path = join(folder, 'config.json');
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...change }));
  };
  const LOST = 'encoder.layer.1.output.dense.bias';

  const cases: [string, (folder: string) => Promise<void>, RegExp][] = [
    [
      'a missing tensor',
      rewriteWeights((tensors) => tensors.filter(({ name }) => name !== LOST)),
      /encoder\.layer\.1\.output\.dense\.bias.* is missing from model\.safetensors/,
    ],
    [
      'a misshapen tensor',
      rewriteWeights((tensors) =>
        tensors.map((tensor) =>
          tensor.name === LOST ? { ...tensor, shape: [15], data: new Float32Array(15) } : tensor,
        ),
      ),
      /encoder\.layer\.1\.output\.dense\.bias.*expected.*\[16\].*got.*\[15\]/,
    ],
    [
      'truncated weights',
      (folder) => truncate(join(folder, 'model.safetensors'), 5000),
      /model\.safetensors: .*(truncated|cut off|bytes)/,
    ],
    [
      'weights that are something else',
      (folder) =>
        writeFile(join(folder, 'model.safetensors'), 'version https://git-lfs.github.com/spec/v1\n'),
      /model\.safetensors: /,
    ],
    [
      'another architecture',
      rewriteConfig({ model_type: 'gpt2', architectures: ['GPT2Model'] }),
      /config\.json.*gpt2/,
    ],
    ['another activation', rewriteConfig({ hidden_act: 'silu' }), /config\.json.*hidden_act.*silu/],
    [
      'a tokenizer larger than the embeddings',
      async (folder) => {
        await rewriteConfig({ vocab_size: 5 })(folder);
      },
      /the tokenizer has \d+ tokens but the model embeds only 5/,
    ],
    ['no tokenizer', (folder) => rm(join(folder, 'tokenizer.json')), /tokenizer\.json/],
    ...[Number.NaN, Number.NEGATIVE_INFINITY].map((value): (typeof cases)[number] => [
      `${value} among the weights`,
      rewriteWeights((tensors) =>
        tensors.map((tensor) =>
          tensor.name === LOST ? { ...tensor, data: tensor.data.with(3, value) } : tensor,
        ),
      ),
      new RegExp(
        `model\\.safetensors: tensor "${LOST}": expected finite numbers, got ${value} at place 3 of 16`,
      ),
    ]),
    ...(
      [
        ['hidden_size', 1e9],
        ['vocab_size', 1e9],
        ['max_position_embeddings', 1e12],
        ['type_vocab_size', 1e9],
        ['intermediate_size', 1e15],
        ['num_hidden_layers', 1e9],
      ] as const
    ).map(([field, size]): (typeof cases)[number] => [
      `an absurd ${field}`,
      rewriteConfig({ [field]: size }),
      new RegExp(`config\\.json: field "${field}": expected .*, got ${size}`),
    ]),
    [
      'a negative size',
      rewriteConfig({ hidden_size: -16 }),
      /config\.json: field "hidden_size": expected .*>=1, got a number \(-16\)/,
    ],
    [
      'a size beyond all numbers',
      rewriteConfig({ hidden_size: 1e300 }),
      /config\.json: field "hidden_size": expected .*, got a number \(1e\+300\)/,
    ],
    [
      'heads that do not divide',
      rewriteConfig({ num_attention_heads: 3 }),
      /a multiple of num_attention_heads/,
    ],
    [
      'a vocabulary smaller than that of the weights',
      (folder) => rewriteConfig({ vocab_size: roberta.spec.config.vocabularySize - 1 })(folder),
      /(word_embeddings|the tokenizer has)/,
    ],
  ];

  test.each(cases)('%s', async (name, damage, message) => {
    const folder = join(root, name.replaceAll(' ', '-'));
    await cp(saved, folder, { recursive: true });
    await damage(folder);
    const error = await loadEncoderModel(folder).then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error?.name).toBe('NearmissError');
    expect(error.message).toMatch(message);
    expect(error.message).toContain(folder);
  });

  test.each([{ hiddenSize: 1_000_000_000 }, { layers: 1_000_000_000 }, { intermediateSize: 1e15 }])(
    'a new model of absurd sizes: %j',
    (sizes) => {
      const options = { tokenizer: roberta.tokenizer, hiddenSize: 16, layers: 1, heads: 2, ...sizes };
      expect(() => createEncoderModel(options)).toThrow(
        /model: expected at most 2147483648 parameters, got \d/,
      );
    },
  );

  test('a model whose vectors overflow does not encode', async () => {
    const model = await loadEncoderModel(saved);
    model.parameters.get('embeddings.LayerNorm.weight').fill(3e38);
    const encoder = await Encoder.create(model);
    onTestFinished(() => encoder.release());
    await expect(encoder.encode(['a', 'b'])).rejects.toThrow(
      /the model gives (NaN|-?Infinity) for text 1 of 2/,
    );
  });

  test('an output that cannot be written leaves nothing behind', async () => {
    const before = await readdir(root);
    await expect(saveEncoderModel(join(root, 'tokenizer.json', 'model'), roberta)).rejects.toThrow(
      /tokenizer\.json\/model: cannot write/,
    );
    await expect(saveEncoderModel(saved, roberta)).rejects.toThrow(/saved: already exists/);
    expect(await readdir(root)).toEqual(before);
  });
});
