import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { NearmissError } from '../../base/errors.js';
import { encoderParameters } from '../encoder/encoder-graph.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import type { Weights } from '../folder/weights.js';
import { DATA_FILE, type ExportForm, exportBert, PLAIN } from './bert-export.fixture.js';
import {
  exportedVectors,
  largestDifference,
  sameBits,
  smallModel,
  vectorsOf,
  writeExport,
} from './onnx-model.fixture.js';
import { openOnnxWeights } from './onnx-weights.js';

let root: string;
let model: EncoderModel;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-onnx-'));
  model = await smallModel(root);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const FUSED: Partial<ExportForm> = {
  norms: 'SkipLayerNormalization',
  embeddings: 'fused',
  attention: 'Attention',
  activation: 'BiasGelu',
};
const BUILT: Partial<ExportForm> = {
  norms: 'LayerNormalization',
  attention: 'MultiHeadAttention',
  activation: 'Gelu',
};

describe('gives the vectors that ONNX Runtime gives for the export', () => {
  test.each<[string, Partial<ExportForm>, number]>([
    ['as PyTorch writes it', {}, 1e-5],
    ['as ONNX Runtime fuses it', FUSED, 1e-5],
    ["as ONNX Runtime's model builder writes it", BUILT, 1e-5],
    ['with the biases of attention apart', { attention: 'MultiHeadAttention with biases' }, 1e-5],
    ['with scaled_dot_product_attention', { attention: 'scaled before, masked by Where' }, 1e-5],
    ['with matrices transposed on their way', { matrices: 'Transpose' }, 1e-5],
    ['in halves', { matrices: 'float16', tables: 'float16' }, 1e-5],
    ['with its data in a file beside it', { dataFile: DATA_FILE }, 1e-5],
    ['quantised: MatMulInteger, int8', { matrices: 'MatMulInteger', tables: 'codes' }, 0.02],
    ['quantised: MatMulInteger, uint8', { matrices: 'MatMulInteger', signed: false, perColumn: false }, 0.02],
    ['quantised: QuantizeLinear and DequantizeLinear', { matrices: 'QDQ', tables: 'codes' }, 0.05],
    ['quantised: attention, too', { matrices: 'MatMulInteger', attention: 'written out in 8 bits' }, 0.05],
    ['quantised: transposed once dequantised', { matrices: 'QDQ, Transpose' }, 0.05],
    ['built, then quantised', { ...BUILT, matrices: 'MatMulIntegerToFloat', tables: 'codes' }, 0.02],
    ['fused, then quantised', { ...FUSED, matrices: 'DynamicQuantizeMatMul', tables: 'codes' }, 0.02],
  ])('%s', async (_, form, tolerance) => {
    const exported = exportBert(model, { ...PLAIN, ...form });
    const loaded = await loadEncoderModel(await writeExport(root, model, exported), { quiet: true });
    const difference = largestDifference(await vectorsOf(loaded), await exportedVectors(model, exported));
    expect(difference).toBeLessThan(tolerance);
  });
});

async function opened(path: string, layers = 2): Promise<Weights> {
  const weights = await openOnnxWeights(path, { layers });
  onTestFinished(() => weights.close());
  return weights;
}

async function readAll(path: string): Promise<void> {
  const weights = await openOnnxWeights(path, { layers: 2 });
  try {
    for (const { name, shape } of encoderParameters(model.spec)) await weights.read(name, shape);
  } finally {
    await weights.close();
  }
}

const forms: fc.Arbitrary<ExportForm> = fc.record({
  matrices: fc.constantFrom(
    ...([
      'float32',
      'float16',
      'Transpose',
      'MatMulInteger',
      'QDQ',
      'QDQ, Transpose',
      'DynamicQuantizeMatMul',
      'MatMulIntegerToFloat',
    ] as const),
  ),
  tables: fc.constantFrom(...(['float32', 'float16', 'codes'] as const)),
  norms: fc.constantFrom(...(['written out', 'LayerNormalization', 'SkipLayerNormalization'] as const)),
  embeddings: fc.constantFrom(...(['plain', 'fused'] as const)),
  attention: fc.constantFrom(
    ...([
      'written out',
      'scaled before, masked by Where',
      'written out in 8 bits',
      'MultiHeadAttention',
      'MultiHeadAttention with biases',
      'Attention',
    ] as const),
  ),
  activation: fc.constantFrom(...(['written out', 'Gelu', 'BiasGelu'] as const)),
  pooled: fc.constantFrom(...(['no', 'first', 'mean'] as const)),
  signed: fc.boolean(),
  perColumn: fc.boolean(),
  dataFile: fc.constantFrom(undefined, DATA_FILE),
});

test('every weight of every form is found, exactly as it is stored', async () => {
  await fc.assert(
    fc.asyncProperty(forms, async (form) => {
      const exported = exportBert(model, form);
      const folder = await writeExport(root, model, exported);
      const weights = await openOnnxWeights(join(folder, 'onnx/model.onnx'), { layers: 2 });
      try {
        for (const { name, shape } of encoderParameters(model.spec)) {
          const same = sameBits(await weights.read(name, shape), exported.weights.get(name)!);
          expect(same, name).toBe(true);
        }
        const quantized =
          form.tables === 'codes' || !['float32', 'float16', 'Transpose'].includes(form.matrices);
        const pooling = form.pooled === 'no' ? undefined : form.pooled;
        expect(weights.exported).toMatchObject({ quantized, pooling });
      } finally {
        await weights.close();
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 40 },
  );
});

test('tensors are read into the place that is given', async () => {
  const folder = await writeExport(root, model, exportBert(model, PLAIN));
  const weights = await opened(join(folder, 'onnx/model.onnx'));
  const name = 'encoder.layer.1.intermediate.dense.weight';
  const [place, shape] = [new Float32Array(32 * 128), [128, 32]];
  expect(await weights.read(name, shape, place)).toBe(place);
  expect(place).toEqual(model.parameters.get(name));
  expect(weights.shape(name)).toEqual(shape);
});

describe('what is wrong is told', () => {
  async function failure(form: Partial<ExportForm>, layers = 2): Promise<unknown> {
    const folder = await writeExport(root, model, exportBert(model, { ...PLAIN, ...form }));
    return openOnnxWeights(join(folder, 'onnx/model.onnx'), { layers }).catch((error) => error);
  }

  test('another activation: its node is named', async () => {
    expect(await failure({ activation: 'Relu' })).toMatchObject({
      message: expect.stringMatching(
        /model\.onnx: not a BERT-like encoder: expected encoder\.layer\.0\.intermediate: a GELU, got node "Relu_n\d+" \(Relu\)$/,
      ),
      hint: expect.stringContaining('use its safetensors'),
    });
  });

  test('fewer or more layers than config.json states', async () => {
    expect(await failure({}, 3)).toMatchObject({
      message: expect.stringMatching(/expected encoder\.layer\.2\.attention: what is added .* got node "/),
    });
    expect(await failure({}, 1)).toMatchObject({
      message: expect.stringContaining(
        'expected the end of the 1 layers that config.json states, got node "',
      ),
    });
  });

  test('another width than config.json states', async () => {
    const folder = await writeExport(root, model, exportBert(model, PLAIN));
    const weights = await opened(join(folder, 'onnx/model.onnx'));
    await expect(weights.read('encoder.layer.0.attention.self.query.weight', [64, 64])).rejects.toThrow(
      /tensor "onnx::MatMul_\d+" \(encoder\.layer\.0\.attention\.self\.query\.weight\): expected shape \[64, 64\], got \[32, 32\]/,
    );
    await expect(weights.read('head.linear.weight', [1])).rejects.toThrow('"head.linear.weight" is missing');
  });

  test('a file that is cut off, of another format, or without its data', async () => {
    const path = join(root, 'broken.onnx');
    const exported = exportBert(model, PLAIN);
    await writeFile(path, exported.model.subarray(0, exported.model.length - 1000));
    await expect(openOnnxWeights(path, { layers: 2 })).rejects.toThrow('broken.onnx: the file is cut off');
    await writeFile(path, 'version https://git-lfs.github.com/spec/v1');
    await expect(openOnnxWeights(path, { layers: 2 })).rejects.toThrow(
      /broken\.onnx: .*(not a valid ONNX|cut off)/,
    );
    await writeFile(path, '');
    await expect(openOnnxWeights(path, { layers: 2 })).rejects.toThrow('it holds no graph');
    const folder = await writeExport(root, model, exportBert(model, { ...PLAIN, dataFile: DATA_FILE }));
    await unlink(join(folder, 'onnx', DATA_FILE));
    const weights = await opened(join(folder, 'onnx/model.onnx'));
    await expect(
      weights.read('embeddings.word_embeddings.weight', [model.tokenizer.vocabularySize, 32]),
    ).rejects.toThrow(`${DATA_FILE}: no such file`);
  });

  test('damaged files give an error for people, or are read: never a crash', async () => {
    const exported = exportBert(model, { ...PLAIN, matrices: 'MatMulInteger', tables: 'codes' });
    const path = join(root, 'damaged.onnx');
    const change = fc.record({ at: fc.nat(exported.model.length - 1), byte: fc.nat(255) });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
        const bytes = Buffer.from(exported.model);
        for (const { at, byte } of changes) bytes[at] = byte;
        await writeFile(path, bytes);
        await readAll(path).catch((error) => {
          expect(error).toBeInstanceOf(NearmissError);
          refused++;
        });
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test('data outside of the folder', async () => {
    expect(await failure({ dataFile: '../secret' })).toMatchObject({
      message: expect.stringContaining('expected its data in a file beside the model, got "../secret"'),
    });
  });
});
