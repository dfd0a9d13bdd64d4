import { describe, expect, test } from 'vitest';
import { AdamW, emitOnnx, Graph, globalNorm, Lamb, type Optimizer, Session } from '../../engine/index.js';
import { bce, hinge, infoNce, type Loss, nll, rankNet } from '../../loss/index.js';
import type { HeadConfig } from '../../model/encoder/encoder-graph.js';
import type { TrainingBatch } from '../task/batch.js';
import { parameterFeeds } from './gradient-graph.js';
import { loadOracle, oracleMissing, oracleTensors, relativeDifference } from './oracle.fixture.js';
import { DirectStep } from './step.js';
import { Tower } from './towers.js';

const RANDOM = { seed: 1, step: 0 };
const inBatch = (batch: TrainingBatch): TrainingBatch => ({
  ...batch,
  documents: batch.documents.slice(0, 4),
});
const same = (batch: TrainingBatch): TrainingBatch => batch;

const cases: { name: string; loss: Loss; batchOf: (batch: TrainingBatch) => TrainingBatch }[] = [
  { name: 'nll_pair', loss: nll, batchOf: same },
  { name: 'infonce_inbatch', loss: infoNce, batchOf: inBatch },
  { name: 'infonce_inbatch_hard', loss: infoNce, batchOf: same },
  { name: 'bce', loss: bce, batchOf: same },
  { name: 'hinge_margin1', loss: hinge({ margin: 1 }), batchOf: same },
  { name: 'ranknet', loss: rankNet, batchOf: same },
];

describe.skipIf(oracleMissing)('a training step equals PyTorch in float64 (oracles/bert-step)', () => {
  test.each(cases)('$name', async ({ name, loss, batchOf }) => {
    const { spec, parameters, batch, expected } = await loadOracle();
    const step = await DirectStep.create({ spec, parameters, loss, groups: 3 });
    const gradients = parameters.zerosLike();
    const result = await step.addGradients(batchOf(batch), gradients, RANDOM);
    expect(Math.abs(result.loss - expected[name].loss)).toBeLessThan(1e-5);
    expect(globalNorm(gradients)).toBeCloseTo(expected[name].grad_norm, 4);
    const tensors = await oracleTensors(`grad_${name}.safetensors`);
    for (const { name: parameter, shape } of parameters.specs) {
      const reference = await tensors.read(parameter, shape);
      // A key's bias shifts all logits of a query alike: its gradient is 0, and the oracle's is float64's noise.
      const isNoise = reference.every((value) => Math.abs(value) < 1e-12);
      if (isNoise)
        expect(
          gradients.get(parameter).every((value) => value === 0),
          parameter,
        ).toBe(true);
      else expect(relativeDifference(gradients.get(parameter), reference), parameter).toBeLessThan(1e-4);
    }
    await tensors.close();
    await step.release();
  });

  test('embeddings, with the ANCE head and with mean pooling', async () => {
    const { spec, parameters, texts } = await loadOracle();
    const tensors = await oracleTensors('expected_embeddings.safetensors');
    const check = async (head: HeadConfig, side: keyof typeof texts, name: string): Promise<void> => {
      const graph = new Graph();
      const tower = new Tower(graph, { spec: { ...spec, head }, prefix: '', groups: 2 });
      const session = await Session.create(emitOnnx(graph, { outputs: { embeddings: tower.embeddings } }));
      const feeds = { ...tower.feeds(texts[side], RANDOM), ...parameterFeeds(session, parameters) };
      const { embeddings } = await session.run(feeds);
      const expected = await tensors.read(name, [4, 32]);
      expected.forEach((value, i) => {
        expect(Math.abs(Number(embeddings.data[i]) - value), `${name}[${i}]`).toBeLessThan(1e-5);
      });
      await session.release();
    };
    for (const side of ['query', 'positive', 'negative'] as const) await check(spec.head, side, side);
    await check({ pooling: 'mean', normalize: true }, 'positive', 'positive.mean_pooled_normalized');
    await tensors.close();
  });

  test.each([
    { name: 'after_adamw_3', optimizerOf: AdamW, rate: 1e-3 },
    { name: 'after_lamb_3', optimizerOf: Lamb, rate: 1e-2 },
  ])('parameters $name', async ({ name, optimizerOf, rate }) => {
    const { spec, parameters, batch, expected } = await loadOracle();
    const step = await DirectStep.create({ spec, parameters, loss: nll });
    const optimizer: Optimizer = new optimizerOf(parameters);
    const gradients = parameters.zerosLike();
    for (let i = 0; i < 3; i++) {
      gradients.buffer.fill(0);
      await step.addGradients(batch, gradients, RANDOM);
      optimizer.update(gradients, rate);
    }
    const tensors = await oracleTensors(`${name}.safetensors`);
    const differences: Record<string, number> = {};
    for (const { name: parameter, shape } of parameters.specs) {
      differences[parameter] = relativeDifference(
        parameters.get(parameter),
        await tensors.read(parameter, shape),
      );
    }
    await tensors.close();
    const wrong = Object.entries(differences).filter(([, difference]) => !(difference < 1e-4));
    expect(wrong).toEqual([]);
    const { loss } = await step.addGradients(batch, parameters.zerosLike(), RANDOM);
    expect(loss).toBeCloseTo(expected[name].nll_pair, 4);
    await step.release();
  });
});
