import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { fillNormal, ParameterStore, randomKey } from '../../engine/index.js';
import {
  createCrossEncoder,
  loadCrossEncoder,
  saveCrossEncoder,
} from '../cross-encoder/cross-encoder-model.js';
import { encoderParameters } from '../encoder/encoder-graph.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { exportBert, PLAIN } from '../onnx/bert-export.fixture.js';
import {
  largestDifference,
  sameBits,
  smallModel,
  vectorsOf,
  writeExport,
} from '../onnx/onnx-model.fixture.js';

let root: string;
let model: EncoderModel;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-onnx-models-'));
  model = await smallModel(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** The model saved, and whatever is named taken away again. */
async function savedWithout(saved: EncoderModel, ...files: string[]): Promise<string> {
  const folder = join(await mkdtemp(join(root, 'saved-')), 'model');
  await saveEncoderModel(folder, saved);
  for (const name of files) await rm(join(folder, name), { recursive: true });
  return folder;
}

describe('a model that nearmiss saved, of which only the ONNX export is left', () => {
  test('is the same model', async () => {
    const loaded = await loadEncoderModel(await savedWithout(model, 'model.safetensors'));
    expect(loaded.spec).toEqual(model.spec);
    expect(sameBits(loaded.parameters.buffer, model.parameters.buffer)).toBe(true);
    expect(largestDifference(await vectorsOf(loaded), await vectorsOf(model))).toBeLessThan(1e-5);
  });

  test('RoBERTa, whose positions start later', async () => {
    const config = { ...model.spec.config, architecture: 'roberta', modelType: 'roberta' } as const;
    const spec = {
      ...model.spec,
      config: { ...config, positionOffset: 1, maxPositions: 25, typeVocabularySize: 1 },
    };
    const parameters = new ParameterStore(encoderParameters(spec));
    for (const name of parameters.names) fillNormal(parameters.get(name), 0.3, randomKey(2, name));
    const roberta: EncoderModel = { ...model, spec, parameters };
    const loaded = await loadEncoderModel(await savedWithout(roberta, 'model.safetensors'));
    expect(loaded.spec).toEqual(spec);
    expect(sameBits(loaded.parameters.buffer, parameters.buffer)).toBe(true);
  });

  test.each(['first', 'mean'] as const)(
    'its head and pooling (%s) are in the export, too',
    async (pooling) => {
      const headed = await smallModel(root, { pooling, projection: 16, layerNorm: true, normalize: false });
      const left = ['model.safetensors', 'modules.json', 'config_sentence_transformers.json'];
      const folder = await savedWithout(headed, ...left, '1_Pooling', '2_Dense', '3_LayerNorm');
      const loaded = await loadEncoderModel(folder);
      expect(loaded.spec).toEqual(headed.spec);
      expect(sameBits(loaded.parameters.buffer, headed.parameters.buffer)).toBe(true);
    },
  );

  test('a cross-encoder keeps its scoring layers', async () => {
    const cross = createCrossEncoder(model, { seed: 3 });
    for (const name of cross.parameters.names)
      fillNormal(cross.parameters.get(name), 0.3, randomKey(3, name));
    const folder = join(root, 'cross');
    await saveCrossEncoder(folder, cross);
    await rm(join(folder, 'model.safetensors'));
    const loaded = await loadCrossEncoder(folder);
    expect(sameBits(loaded.parameters.buffer, cross.parameters.buffer)).toBe(true);
    const encoder = await savedWithout(model, 'model.safetensors');
    await expect(loadCrossEncoder(encoder)).rejects.toThrow('not a cross-encoder');
    const started = await loadCrossEncoder(encoder, { newHead: true });
    const name = 'encoder.layer.1.output.dense.weight';
    expect(sameBits(started.parameters.get(name), model.parameters.get(name))).toBe(true);
  });

  test('only some layers of it', async () => {
    const folder = await savedWithout(model, 'model.safetensors');
    const loaded = await loadEncoderModel(folder, { layers: 1 });
    expect(loaded.parameters.has('encoder.layer.1.output.dense.weight')).toBe(false);
    expect(largestDifference(await vectorsOf(loaded), await vectorsOf(model))).toBeGreaterThan(1e-2);
  });
});

test.each(['float32', 'codes'] as const)(
  "a cross-encoder exported by others, names before the encoder's own (%s)",
  async (tables) => {
    const numbers = (length: number, seed: number): Float32Array => {
      const values = new Float32Array(length);
      fillNormal(values, 0.3, randomKey(seed, 'classifier'));
      return values;
    };
    const [pooler, poolerBias, weight, bias] = [32 * 32, 32, 32, 1].map(numbers);
    const classifier = { pooler, poolerBias, weight, bias };
    const exported = exportBert(model, { ...PLAIN, tables, prefix: 'bert.', classifier });
    const loaded = await loadCrossEncoder(await writeExport(root, model, exported));
    expect(loaded.parameters.get('head.pooler.weight')).toEqual(pooler);
    expect(loaded.parameters.get('head.pooler.bias')).toEqual(poolerBias);
    expect(loaded.parameters.get('head.score.weight')).toEqual(weight);
    expect(loaded.parameters.get('head.score.bias')).toEqual(bias);
  },
);

describe('which file is read', () => {
  const other = { ...PLAIN, matrices: 'MatMulInteger' } as const;

  test('safetensors before an export, unless the export is named', async () => {
    const folder = await savedWithout(model);
    await writeFile(join(folder, 'onnx/model.onnx'), exportBert(model, other).model);
    const loaded = await loadEncoderModel(folder);
    expect(sameBits(loaded.parameters.buffer, model.parameters.buffer)).toBe(true);
    const named = await loadEncoderModel(join(folder, 'onnx/model.onnx'));
    expect(named.spec.head).toEqual(model.spec.head);
    expect(named.spec.config.dequantizedFrom).toBe('model, model.onnx');
    expect(sameBits(named.parameters.buffer, model.parameters.buffer)).toBe(false);
  });

  test('the most exact export of a folder, or its only one', async () => {
    const folder = await writeExport(root, model, exportBert(model, other), 'onnx/model_quantized.onnx');
    expect((await loadEncoderModel(folder, { quiet: true })).spec.config.dequantizedFrom).toBeDefined();
    await writeFile(join(folder, 'onnx/model_fp16.onnx'), exportBert(model, PLAIN).model);
    expect((await loadEncoderModel(folder, { quiet: true })).spec.config.dequantizedFrom).toBeUndefined();
    const top = await writeExport(root, model, exportBert(model, PLAIN), 'my-export.onnx');
    const loaded = await loadEncoderModel(top, { quiet: true });
    expect(sameBits(loaded.parameters.buffer, model.parameters.buffer)).toBe(true);
    await copyFile(join(top, 'my-export.onnx'), join(top, 'your-export.onnx'));
    await expect(loadEncoderModel(top)).rejects.toMatchObject({
      message: expect.stringContaining(
        'expected onnx/model.onnx or one other *.onnx file, got my-export.onnx, your',
      ),
      hint: expect.stringContaining('name the file to use'),
    });
  });

  test('a bare export, with the rest beside it or one folder up', async () => {
    const folder = await writeExport(root, model, exportBert(model, PLAIN));
    const up = await loadEncoderModel(join(folder, 'onnx/model.onnx'), { quiet: true });
    await rename(join(folder, 'config.json'), join(folder, 'onnx/config.json'));
    await expect(loadEncoderModel(join(folder, 'onnx/model.onnx'), { quiet: true })).rejects.toThrow(
      'tokenizer.json: no such file',
    );
    await rename(join(folder, 'tokenizer.json'), join(folder, 'onnx/tokenizer.json'));
    const beside = await loadEncoderModel(join(folder, 'onnx/model.onnx'), { quiet: true });
    for (const loaded of [up, beside]) {
      expect(sameBits(loaded.parameters.buffer, model.parameters.buffer)).toBe(true);
    }
    await rm(join(folder, 'onnx/config.json'));
    await expect(loadEncoderModel(join(folder, 'onnx/model.onnx'))).rejects.toMatchObject({
      message: expect.stringContaining('config.json is neither beside it'),
      hint: expect.stringContaining('how many heads'),
    });
    await expect(loadEncoderModel(join(folder, 'model.onnx'))).rejects.toThrow('model.onnx: no such file');
  });

  test('nothing: what could be there is told', async () => {
    const folder = await savedWithout(model, 'model.safetensors', 'onnx');
    await expect(loadEncoderModel(folder)).rejects.toThrow('no weights: expected model.safetensors');
    await mkdir(join(folder, 'onnx'));
    await expect(loadEncoderModel(folder)).rejects.toThrow('or onnx/model.onnx');
  });
});

describe('what is said', () => {
  function stderr(): () => string {
    const spy = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => spy.mockRestore());
    return () => spy.mock.calls.map(([line]) => line).join('');
  }

  test('pooling that is guessed, unless somebody chose it or wants no messages', async () => {
    const said = stderr();
    const folder = await writeExport(root, model, exportBert(model, PLAIN));
    const loaded = await loadEncoderModel(folder, { head: { pooling: 'first' } });
    expect(loaded.spec.head.pooling).toBe('first');
    await loadEncoderModel(folder, { quiet: true });
    expect(said()).toBe('');
    expect((await loadEncoderModel(folder)).spec.head).toEqual({ pooling: 'mean', normalize: true });
    expect(said()).toContain('nothing tells how it makes one vector of a text');
  });

  test('pooling that the export or 1_Pooling tells is no guess', async () => {
    const said = stderr();
    const folder = await writeExport(root, model, exportBert(model, { ...PLAIN, pooled: 'first' }));
    expect((await loadEncoderModel(folder)).spec.head.pooling).toBe('first');
    await mkdir(join(folder, '1_Pooling'));
    await writeFile(
      join(folder, '1_Pooling/config.json'),
      JSON.stringify({ pooling_mode_mean_tokens: true }),
    );
    expect((await loadEncoderModel(folder)).spec.head.pooling).toBe('mean');
    expect(said()).toBe('');
  });

  test('that weights were dequantised: in the card and the config of what is saved, and of what that becomes', async () => {
    const exported = exportBert(model, { ...PLAIN, matrices: 'MatMulInteger', tables: 'codes' });
    const folder = await writeExport(root, model, exported, 'onnx/model_quantized.onnx');
    const loaded = await loadEncoderModel(folder, { quiet: true });
    const [first, second, cross] = ['first', 'second', 'cross'].map((name) => join(folder, name));
    await saveEncoderModel(first, loaded);
    const again = await loadEncoderModel(first);
    expect(sameBits(again.parameters.buffer, loaded.parameters.buffer)).toBe(true);
    await saveEncoderModel(second, again, { card: { baseModel: 'mine' } });
    await saveCrossEncoder(cross, createCrossEncoder(again));
    for (const saved of [first, second, cross]) {
      const card = await readFile(join(saved, 'README.md'), 'utf8');
      expect(card).toMatch(
        /\| Began as \| 8-bit weights \(model-\w+, model_quantized\.onnx\), dequantised: near the/,
      );
      expect(card).not.toContain('from scratch');
    }
  });
});
