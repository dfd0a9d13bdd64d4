import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Encoder } from '../encoder/encoder.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import type { Precision } from './precision.js';

const TEXTS = [
  'a near miss is a document that the model ranks high and that is wrong',
  'anemia is a condition in which the blood has too few red cells',
  'how do I reset my password',
  'close call',
];

let model: EncoderModel;
let cache: string;
let before: string | undefined;
beforeAll(async () => {
  model = await loadEncoderModel('minilm', { layers: 1 });
});
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'nearmiss-precision-'));
  before = process.env.NEARMISS_CACHE;
  process.env.NEARMISS_CACHE = cache;
});
afterEach(async () => {
  if (before === undefined) delete process.env.NEARMISS_CACHE;
  else process.env.NEARMISS_CACHE = before;
  await rm(cache, { recursive: true, force: true });
});

async function open(precision: Precision, of = model): Promise<Encoder> {
  return Encoder.create(of, { session: { threads: 1, precision } });
}

async function vectorsIn(precision: Precision): Promise<Float32Array> {
  const encoder = await open(precision);
  const { vectors } = await encoder.encode(TEXTS);
  await encoder.release();
  return vectors;
}

describe('int8', () => {
  test('vectors are near those of fp32, and not the same', async () => {
    const [exact, rough] = [await vectorsIn('fp32'), await vectorsIn('int8')];
    const dimension = exact.length / TEXTS.length;
    for (let text = 0; text < TEXTS.length; text++) {
      let cosine = 0;
      for (let i = text * dimension; i < (text + 1) * dimension; i++) cosine += exact[i] * rough[i];
      expect(cosine).toBeGreaterThan(0.98);
      expect(cosine).toBeLessThan(0.99999);
    }
  });

  test('the same texts give the same bits', async () => {
    expect(await vectorsIn('int8')).toEqual(await vectorsIn('int8'));
  });

  test('is refused on another provider', async () => {
    await expect(Encoder.create(model, { session: { provider: 'cuda', precision: 'int8' } })).rejects.toThrow(
      'precision int8: expected the provider cpu, got cuda',
    );
  });
});

describe('auto', () => {
  const memories = (): Promise<string[]> => readdir(join(cache, 'precision'));
  const rewrite = async (gain: number): Promise<void> => {
    const file = join(cache, 'precision', (await memories())[0]);
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), gain }));
  };

  test('measures once, says why, and remembers for models of this size', async () => {
    const first = await open('auto');
    expect(first.precisionReason).toMatch(/× as fast/);
    const [file] = await memories();
    const memory = JSON.parse(await readFile(join(cache, 'precision', file), 'utf8'));
    expect(memory).toMatchObject({ threads: 1, layers: 1, hiddenSize: 384 });
    expect(first.precision).toBe(memory.gain >= 1.1 ? 'int8' : 'fp32');
    await rewrite(0.5);
    const slower = await open('auto');
    expect([slower.precision, slower.precisionReason]).toEqual(['fp32', 'int8 is only 0.50 × as fast here']);
    await rewrite(3);
    const faster = await open('auto');
    expect([faster.precision, faster.precisionReason]).toEqual(['int8', '3.00 × as fast as fp32 here']);
    expect(await memories()).toEqual([file]);
    for (const encoder of [first, slower, faster]) await encoder.release();
  });

  test('stays with fp32 where the weights cannot be rounded, however fast it is', async () => {
    const spoilt = await loadEncoderModel('minilm', { layers: 1 });
    // One activation is ten thousand times as large as the others and used by nobody: 8 bits leave nothing of those.
    const layer = (name: string): Float32Array => spoilt.parameters.get(`encoder.layer.0.${name}`);
    const width = layer('intermediate.dense.bias').length;
    layer('intermediate.dense.bias')[0] = 10_000;
    const output = layer('output.dense.weight');
    for (let i = 0; i < output.length; i += width) output[i] = 0;
    await (await open('auto', spoilt)).release();
    await rewrite(3);
    const encoder = await open('auto', spoilt);
    expect(encoder.precision).toBe('fp32');
    expect(encoder.precisionReason).toMatch(/too far off/);
    await encoder.release();
  });

  test('a damaged memory is measured again', async () => {
    await (await open('auto')).release();
    const file = join(cache, 'precision', (await memories())[0]);
    await writeFile(file, '{');
    await (await open('auto')).release();
    expect(JSON.parse(await readFile(file, 'utf8')).gain).toBeGreaterThan(0);
  });
});
