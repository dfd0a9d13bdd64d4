import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillNormal, ParameterStore, randomKey } from '../../engine/index.js';
import { trainTokenizer } from '../../text/train-tokenizer.js';
import { createEncoderModel, type EncoderModel, loadEncoderModel } from '../encoder/encoder-model.js';
import { saveEncoderModel } from '../encoder/save-encoder.js';
import { openWeights } from '../folder/weights.js';
import { loadMlmHead } from './load-mlm-head.js';
import { mlmHeadParameters } from './mlm-head.js';

let folder: string;
let model: EncoderModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-mlm-'));
  async function* texts() {
    yield 'a near miss is as good as a mile';
  }
  const tokenizer = await trainTokenizer(texts(), { vocabularySize: 100, quiet: true });
  model = createEncoderModel({ tokenizer, hiddenSize: 8, layers: 1, heads: 2, maxLength: 16 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(['bert', 'roberta'] as const)(
  '%s: encoder and head are saved as Transformers has them, and come back',
  async (architecture) => {
    const config = { ...model.spec.config, architecture, modelType: architecture };
    const head = new ParameterStore(mlmHeadParameters(config));
    fillNormal(head.buffer, 1, randomKey(1, 'head'));
    const path = join(folder, architecture);
    await saveEncoderModel(
      path,
      { ...model, spec: { ...model.spec, config } },
      { mlmHead: head, onnx: false },
    );

    const written = JSON.parse(await readFile(join(path, 'config.json'), 'utf8'));
    expect(written.architectures).toEqual([
      architecture === 'bert' ? 'BertForMaskedLM' : 'RobertaForMaskedLM',
    ]);
    const weights = await openWeights(path, { asStored: true });
    const names = [...weights.names];
    const has = (name: string): boolean => weights.has(name);
    expect(has(`${architecture}.embeddings.word_embeddings.weight`)).toBe(true);
    expect(names.every((name) => name.startsWith(`${architecture}.`) || /^(cls|lm_head)\./.test(name))).toBe(
      true,
    );
    const bias = architecture === 'bert' ? 'cls.predictions.bias' : 'lm_head.bias';
    const norm =
      architecture === 'bert' ? 'cls.predictions.transform.LayerNorm.weight' : 'lm_head.layer_norm.weight';
    expect(has(bias) && has(norm)).toBe(true);
    await weights.close();

    expect((await loadMlmHead(path, config)).buffer).toEqual(head.buffer);
    expect((await loadEncoderModel(path)).parameters.buffer).toEqual(model.parameters.buffer);
  },
);

test('a model without a head gets one that compares states with words', async () => {
  const head = await loadMlmHead('scratch', model.spec.config);
  expect(head.get('cls.predictions.transform.dense.weight')[0]).toBe(1);
  expect(head.get('cls.predictions.bias')).toEqual(new Float32Array(model.spec.config.vocabularySize));
});
