import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { AutoModel, AutoTokenizer, env } from '@huggingface/transformers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Encoder } from '../encoder/encoder.js';
import { type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { tokenizedTexts } from '../encoder/tokenized-texts.js';
import type { Side } from '../side.js';

const TEXTS = ['what is a near miss?', 'which deficiency is the most common cause of anemia?'];

let folder: string;
let model: EncoderModel;
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'nearmiss-codes-')), 'poly');
  model = await loadEncoderModel('minilm', {
    layers: 1,
    maxLength: 24,
    head: { pooling: 'codes', codes: 4, normalize: true },
  });
  await saveEncoderModel(folder, model);
});
afterAll(() => rm(dirname(folder), { recursive: true, force: true }));

async function rowsOf(opened: EncoderModel, side: Side): Promise<Float32Array> {
  const encoder = await Encoder.create(opened, { session: { threads: 1 } });
  const tokens = tokenizedTexts(await encoder.tokenize(TEXTS, side === 'queries' ? 'query' : 'document'));
  const { vectors } = await encoder.encodeTokens(tokens, { side });
  await encoder.release();
  return vectors;
}

test('a saved model is read again, and Transformers.js gives the same rows', async () => {
  const again = await loadEncoderModel(folder);
  for (const side of ['queries', 'documents'] as const) {
    expect(await rowsOf(again, side)).toEqual(await rowsOf(model, side));
  }
  env.allowRemoteModels = false;
  env.localModelPath = dirname(folder);
  const tokenizer = await AutoTokenizer.from_pretrained(basename(folder));
  const runner = await AutoModel.from_pretrained(basename(folder), { dtype: 'fp32' });
  const { code_embeddings, sentence_embedding } = await runner(tokenizer(TEXTS, { padding: true }));
  for (const [side, found] of [
    ['queries', code_embeddings],
    ['documents', sentence_embedding],
  ] as const) {
    const own = await rowsOf(model, side);
    expect(found.data.length).toBe(own.length);
    own.forEach((value, i) => {
      expect(Math.abs(value - found.data[i])).toBeLessThan(1e-4);
    });
  }
  await runner.dispose();
});
