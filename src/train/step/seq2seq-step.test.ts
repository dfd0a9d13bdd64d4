import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oracleFolder, readOracle } from '../../../test/oracles.fixture.js';
import { compile, Graph } from '../../engine/index.js';
import { readSeq2SeqWeights } from '../../model/seq2seq/seq2seq-model.js';
import { buildTraining, packPairs, type Seq2SeqPair } from '../../model/seq2seq/training-graph.js';
import { SafetensorsFile } from '../../model/tensors/safetensors.js';
import { Seq2SeqStep, writingBatch } from './seq2seq-step.js';

interface OracleBatch {
  input_ids: number[][];
  attention_mask: number[][];
  labels: number[][];
  loss: number;
}

const IGNORED = -100;

async function oracle(name: string) {
  const folder = join(oracleFolder('tricks'), name);
  const batch = readOracle<OracleBatch>('tricks', `${name}/batch.json`);
  const pairs = batch.input_ids.map(
    (ids, text): Seq2SeqPair => ({
      source: ids.filter((_, t) => batch.attention_mask[text][t] === 1),
      target: batch.labels[text].filter((id) => id !== IGNORED),
    }),
  );
  return { folder, batch, pairs, model: await readSeq2SeqWeights(folder) };
}

function largestDifference(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < expected.length; i++) largest = Math.max(largest, Math.abs(found[i] - expected[i]));
  return largest;
}

describe.each(['t5-relu', 't5-gated'])('%s', (name) => {
  test('states and logits equal those of PyTorch', async () => {
    const { folder, batch, pairs, model } = await oracle(name);
    const graph = new Graph();
    const { states, logits } = buildTraining(graph, model.spec);
    const session = await compile(graph, { outputs: { states, logits }, parameters: model.parameters });
    const { feeds, dims, out } = packPairs(pairs, model.spec);
    const results = await session.run(feeds);
    await session.release();
    const expected = await SafetensorsFile.open(join(folder, 'expected.safetensors'));
    const compared = async (tensor: string, length: number, found: Float32Array, real: number[]) => {
      const all = await expected.read(tensor);
      const width = all.length / (batch.input_ids.length * length);
      real.forEach((count, text) => {
        const slice = (values: Float32Array): Float32Array =>
          values.subarray(text * length * width, (text * length + count) * width);
        expect(largestDifference(slice(found), slice(all)), `${tensor} ${text}`).toBeLessThan(1e-4);
      });
    };
    const lengths = (side: 'source' | 'target'): number[] => pairs.map((pair) => pair[side].length);
    await compared('encoder', dims.get('length')!, results.states.data as Float32Array, lengths('source'));
    await compared('logits', out, results.logits.data as Float32Array, lengths('target'));
    await expected.close();
  });

  test('loss and every gradient equal those of PyTorch', async () => {
    const { folder, batch, pairs, model } = await oracle(name);
    const step = await Seq2SeqStep.create({ model, smoothing: 0 });
    const gradients = model.parameters.zerosLike();
    const { loss } = await step.addGradients(writingBatch(pairs), gradients, { seed: 1, step: 0 });
    expect(Math.abs(loss - batch.loss)).toBeLessThan(1e-4);
    const expected = await SafetensorsFile.open(join(folder, 'gradients.safetensors'));
    expect([...expected.tensors.keys()].sort()).toEqual([...gradients.names].sort());
    for (const parameter of gradients.names) {
      const found = gradients.get(parameter);
      expect(largestDifference(found, await expected.read(parameter)), parameter).toBeLessThan(1e-4);
    }
    await expected.close();
    await step.release();
  });

  test('what is learned in parts, each weighed by its tokens, is what is learned at once', async () => {
    const { pairs, model } = await oracle(name);
    const step = await Seq2SeqStep.create({ model, smoothing: 0.1 });
    const whole = model.parameters.zerosLike();
    const { loss } = await step.addGradients(writingBatch(pairs), whole, { seed: 1, step: 0 });
    const parts = model.parameters.zerosLike();
    const batches = [writingBatch(pairs.slice(0, 1)), writingBatch(pairs.slice(1))];
    const tokens = batches.reduce((sum, { examples }) => sum + examples, 0);
    let sum = 0;
    for (const batch of batches) {
      const weight = batch.examples / tokens;
      sum += weight * (await step.addGradients(batch, parts, { seed: 1, step: 0, weight })).loss;
    }
    await step.release();
    expect(sum).toBeCloseTo(loss, 5);
    expect(largestDifference(parts.buffer, whole.buffer)).toBeLessThan(1e-5);
  });

  test('the gradient of the smoothed loss equals finite differences', async () => {
    const { pairs, model } = await oracle(name);
    const step = await Seq2SeqStep.create({ model, smoothing: 0.2 });
    const gradients = model.parameters.zerosLike();
    const run = { seed: 1, step: 0 };
    await step.addGradients(writingBatch(pairs), gradients, run);
    const scratch = model.parameters.zerosLike();
    const lossAt = async (): Promise<number> =>
      (await step.addGradients(writingBatch(pairs), scratch, run)).loss;
    // Along the gradient itself the change is largest, and float32 resolves it.
    const norm = Math.hypot(...gradients.buffer);
    const direction = gradients.buffer.map((value) => value / norm);
    const start = model.parameters.buffer.slice();
    const moved = async (by: number): Promise<number> => {
      model.parameters.buffer.forEach((_, i, all) => {
        all[i] = start[i] + by * direction[i];
      });
      return lossAt();
    };
    const size = 5e-4;
    const numeric = ((await moved(size)) - (await moved(-size))) / (2 * size);
    await step.release();
    expect(Math.abs(numeric - norm) / norm).toBeLessThan(2e-2);
  });
});
