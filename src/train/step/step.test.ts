import { describe, expect, test } from 'vitest';
import { AdamW, emitOnnx, Graph, globalNorm, Lamb, Session } from '../../engine/index.js';
import { bce, hinge, infoNce, type Loss, nll, rankNet } from '../../loss/index.js';
import type { HeadConfig } from '../../model/encoder/encoder-graph.js';
import type { RetrievalBatch } from '../task/batch.js';
import { parameterFeeds } from './gradient-graph.js';
import {
  expectedDescents,
  expectedLosses,
  loadOracle,
  oracleTensors,
  relativeDifference,
} from './oracle.fixture.js';
import { towerStep } from './tower-step.fixture.js';
import { Tower } from './towers.js';

const RANDOM = { seed: 1, step: 0 };

const withoutHardNegatives = (batch: RetrievalBatch): RetrievalBatch => ({
  ...batch,
  documents: batch.documents.slice(0, batch.queries.length),
});

/** What the oracle's names mean; the margin of its hinge is part of the name. */
function caseOf(name: string): { loss: Loss; batchOf?: (batch: RetrievalBatch) => RetrievalBatch } {
  const cases: Record<string, ReturnType<typeof caseOf>> = {
    nll_pair: { loss: nll },
    infonce_inbatch: { loss: infoNce, batchOf: withoutHardNegatives },
    infonce_inbatch_hard: { loss: infoNce },
    bce: { loss: bce },
    hinge_margin: { loss: hinge({ margin: Number(/[\d.]*$/.exec(name)![0]) }) },
    ranknet: { loss: rankNet() },
  };
  return cases[name.replace(/[\d.]+$/, '')];
}

const OPTIMIZERS: Record<string, typeof AdamW | typeof Lamb> = { adamw: AdamW, lamb: Lamb };

describe('a training step equals PyTorch in float64 (oracles/bert-step)', () => {
  test.each(expectedLosses)('$name', async ({ name, loss: expectedLoss, gradientNorm }) => {
    const { spec, parameters, batch } = await loadOracle();
    const { loss, batchOf } = caseOf(name);
    const step = await towerStep({ spec, parameters, loss, groups: 3 });
    const gradients = parameters.zerosLike();
    const result = await step.addGradients(batchOf?.(batch) ?? batch, gradients, RANDOM);
    expect(Math.abs(result.loss - expectedLoss)).toBeLessThan(1e-5 * Math.max(1, expectedLoss));
    expect(Math.abs(globalNorm(gradients) / gradientNorm - 1)).toBeLessThan(1e-5);
    const tensors = await oracleTensors(`grad_${name}.safetensors`);
    for (const { name: parameter, shape } of parameters.specs) {
      const reference = await tensors.read(parameter, shape);
      // A key's bias shifts all logits of a query alike: its gradient is 0, and the oracle's is float64's noise.
      const floor = 1e-5 * gradientNorm;
      expect(relativeDifference(gradients.get(parameter), reference, floor), parameter).toBeLessThan(1e-4);
    }
    await tensors.close();
    await step.release();
  });

  test('embeddings, with the ANCE head and with mean pooling', async () => {
    const { spec, parameters, texts } = await loadOracle();
    const tensors = await oracleTensors('expected_embeddings.safetensors');
    const check = async (head: HeadConfig, side: keyof typeof texts, name: string): Promise<void> => {
      const graph = new Graph();
      const tower = new Tower(graph, { spec: { ...spec, head }, prefix: '', side: 'documents', groups: 2 });
      const session = await Session.create(emitOnnx(graph, { outputs: { embeddings: tower.embeddings } }));
      const feeds = { ...tower.feeds(texts[side], RANDOM), ...parameterFeeds(session, parameters) };
      const { embeddings } = await session.run(feeds);
      const expected = await tensors.read(name, embeddings.shape);
      expected.forEach((value, i) => {
        expect(Math.abs(Number(embeddings.data[i]) - value), `${name}[${i}]`).toBeLessThan(1e-5);
      });
      await session.release();
    };
    for (const side of ['query', 'positive', 'negative'] as const) await check(spec.head, side, side);
    await check({ pooling: 'mean', normalize: true }, 'positive', 'positive.mean_pooled_normalized');
    await tensors.close();
  });

  test.each(expectedDescents)('parameters $name', async (expected) => {
    const { spec, parameters, batch } = await loadOracle();
    const step = await towerStep({ spec, parameters, loss: nll });
    const optimizer = new OPTIMIZERS[expected.optimizer](parameters, expected.options);
    const gradients = parameters.zerosLike();
    for (let i = 0; i < expected.steps; i++) {
      gradients.buffer.fill(0);
      await step.addGradients(batch, gradients, RANDOM);
      optimizer.update(gradients, expected.learningRate);
    }
    const tensors = await oracleTensors(`${expected.name}.safetensors`);
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
    expect(Math.abs(loss - expected.loss)).toBeLessThan(1e-4 * Math.max(1, expected.loss));
    await step.release();
  });
});
