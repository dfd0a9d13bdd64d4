import { describe, expect, test } from 'vitest';
import { AdamW, ParameterStore, scheduleFactor } from '../engine/index.js';
import { infoNce, type Loss, nll } from '../loss/index.js';
import type { Towers } from '../recipe/recipe.js';
import { Learner } from './learner.js';
import { randomBatch, SMALL_SPEC, smallParameters } from './small-model.fixture.js';
import { CachedStep } from './step/cached-step.js';
import { relativeDifference } from './step/oracle.fixture.js';
import type { Step } from './step/step.js';
import { scorerFor, type TowerStepOptions, towerStep } from './step/tower-step.fixture.js';
import { towerParameters } from './step/towers.js';
import type { RetrievalBatch } from './task/batch.js';

const RUN = { seed: 1, step: 0 };

async function gradientsOf(
  step: Step<RetrievalBatch>,
  parameters: ParameterStore,
  batch: RetrievalBatch,
): Promise<ParameterStore> {
  const gradients = parameters.zerosLike();
  await step.addGradients(batch, gradients, RUN);
  await step.release();
  return gradients;
}

const combinations: { towers: Towers; loss: Loss }[] = [
  { towers: 'shared', loss: infoNce },
  { towers: 'shared', loss: nll },
  { towers: 'two', loss: infoNce },
];

describe.each(combinations)('$towers encoder(s), $loss.name', ({ towers, loss }) => {
  test('gradient caching gives the gradient of the whole batch', async () => {
    const parameters = smallParameters(towers);
    const options: TowerStepOptions = {
      spec: SMALL_SPEC,
      parameters,
      loss,
      towers,
      scale: 5,
      session: { threads: 1 },
    };
    const batch = randomBatch(2);
    const direct = await gradientsOf(await towerStep(options), parameters, batch);
    const cached = await gradientsOf(
      await CachedStep.create({
        ...options,
        losses: [{ loss, scale: 5 }],
        scorer: scorerFor(),
        tokenBudget: 40,
      }),
      parameters,
      batch,
    );
    expect(relativeDifference(cached.buffer, direct.buffer)).toBeLessThan(1e-5);
    expect(Math.max(...direct.buffer)).toBeGreaterThan(1e-3);
  });
});

test('the number of length groups changes nothing but rounding', async () => {
  const parameters = smallParameters('shared');
  const results = await Promise.all(
    [1, 2, 5].map(async (groups) => {
      const step = await towerStep({ spec: SMALL_SPEC, parameters, loss: infoNce, groups });
      return gradientsOf(step, parameters, randomBatch(4));
    }),
  );
  expect(relativeDifference(results[0].buffer, results[1].buffer)).toBeLessThan(1e-5);
  expect(relativeDifference(results[2].buffer, results[1].buffer)).toBeLessThan(1e-5);
});

async function train(dropout: number, steps = 20): Promise<{ parameters: ParameterStore; losses: number[] }> {
  const spec = {
    ...SMALL_SPEC,
    config: { ...SMALL_SPEC.config, hiddenDropout: dropout, attentionDropout: dropout },
  };
  const parameters = smallParameters('shared');
  const learner = new Learner({
    step: await towerStep({
      spec,
      parameters,
      loss: nll,
      scale: 5,
      dropout: dropout > 0,
      session: { threads: 2 },
    }),
    parameters,
    optimizer: new AdamW(parameters),
    learningRate: (step) => 5e-3 * scheduleFactor(step, { warmupSteps: 3, totalSteps: 100 }),
    clip: 1,
    layers: 2,
    seed: 9,
  });
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) losses.push((await learner.update(i, [randomBatch(5)])).loss);
  return { parameters, losses };
}

test('the same seed gives the same bits, with dropout too', async () => {
  const [first, second] = [await train(0.1), await train(0.1)];
  expect(first.parameters.buffer).toEqual(second.parameters.buffer);
  expect(first.losses).toEqual(second.losses);
});

test('training learns the batch it sees', async () => {
  const { losses } = await train(0);
  expect(losses[0]).toBeGreaterThan(0.3);
  expect(losses.at(-1)).toBeLessThan(losses[0] / 5);
});

async function plainLearner(parameters: ParameterStore): Promise<Learner<RetrievalBatch>> {
  return new Learner({
    step: await towerStep({ spec: SMALL_SPEC, parameters, loss: nll }),
    parameters,
    optimizer: new AdamW(parameters),
    learningRate: () => 1e-3,
    layers: 2,
    seed: 1,
  });
}

test('numbers that go wrong stop training before the weights change', async () => {
  const parameters = smallParameters('shared');
  parameters.get('encoder.layer.0.output.dense.weight')[3] = Number.NaN;
  const before = parameters.buffer.slice();
  const learner = await plainLearner(parameters);
  await expect(learner.update(0, [randomBatch(1)])).rejects.toThrow('step 0: the loss is NaN');
  expect(parameters.buffer).toEqual(before);
});

test('gradient norms are told by layer group', async () => {
  const parameters = smallParameters('shared');
  const learner = await plainLearner(parameters);
  const { groupNorms, gradientNorm } = await learner.update(0, [randomBatch(1)]);
  expect(Object.keys(groupNorms).sort()).toEqual(['bottom', 'embeddings', 'head', 'middle']);
  expect(Math.hypot(...Object.values(groupNorms))).toBeCloseTo(gradientNorm, 6);
});

test('two towers have two sets of parameters', () => {
  const names = new ParameterStore(towerParameters(SMALL_SPEC, 'two')).names;
  expect(names.filter((name) => name.startsWith('query.'))).toHaveLength(names.length / 2);
});

async function scoresOf(options: Omit<TowerStepOptions, 'spec' | 'parameters'>, batch: RetrievalBatch) {
  const parameters = smallParameters('shared');
  const step = await towerStep({ spec: SMALL_SPEC, parameters, session: { threads: 1 }, ...options });
  const result = await step.addGradients(batch, parameters.zerosLike(), RUN);
  await step.release();
  return result;
}

test('MaxP scores a document by its best piece', async () => {
  const pieces = randomBatch(6, 4);
  const pieceOffsets = [0, 1, 4, 6, 8];
  const batch = {
    ...pieces,
    pieceOffsets,
    positives: [0, 1, 2, 3],
    negatives: [[1], [2], [3], [0]],
    known: undefined,
  };
  const { scores: pieceScores } = await scoresOf({ loss: nll }, pieces);
  const { scores } = await scoresOf({ loss: nll, maxPieces: 3 }, batch);
  const expected = [0, 1, 2, 3].flatMap((q) =>
    [0, 1, 2, 3].map((d) =>
      Math.max(...pieceScores.slice(q * 8 + pieceOffsets[d], q * 8 + pieceOffsets[d + 1])),
    ),
  );
  scores.forEach((score, i) => {
    expect(score).toBeCloseTo(expected[i], 5);
  });
});

test('hardest in batch learns from the best scored document that is not known to be relevant', async () => {
  const batch = randomBatch(7, 4);
  const { loss, scores } = await scoresOf({ loss: nll, negatives: 'hardest' }, batch);
  const negatives = batch.positives.map((positive, q) => {
    const allowed = batch.documents
      .map((_, d) => d)
      .filter((d) => d !== positive && !batch.known![q].includes(d));
    return [allowed.reduce((best, d) => (scores[q * 8 + d] > scores[q * 8 + best] ? d : best))];
  });
  const own = await scoresOf({ loss: nll }, { ...batch, negatives });
  expect(loss).toBeCloseTo(own.loss, 6);
});
