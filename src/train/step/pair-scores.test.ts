import { beforeAll, expect, test } from 'vitest';
import { bce, type Loss, nll } from '../../loss/index.js';
import { CrossEncoder, type CrossEncoderModel } from '../../model/index.js';
import { crossEncoder } from '../cross-encoder.fixture.js';
import type { RetrievalBatch } from '../task/batch.js';
import { DirectStep } from './direct-step.js';
import { pairScores } from './pair-scores.js';

const RANDOM = { seed: 1, step: 0 };
const session = { threads: 1 };
let model: CrossEncoderModel;
let batch: RetrievalBatch;
beforeAll(async () => {
  ({ model, batch } = await crossEncoder());
});

const stepOf = (loss: Loss): Promise<DirectStep> =>
  DirectStep.create({
    scores: pairScores({ model }),
    losses: [{ loss }],
    parameters: model.parameters,
    session,
  });

test('scores stand where their pairs belong, and nowhere else', async () => {
  const step = await stepOf(nll);
  const { scores, tokens } = await step.addGradients(batch, model.parameters.zerosLike(), RANDOM);
  await step.release();
  const scorer = await CrossEncoder.create(model, { session });
  const [own] = await scorer.score('a miss', ['miss']);
  await scorer.release();
  expect(scores[1 * 5 + 2]).toBeCloseTo(own, 5);
  expect(Array.from(scores, (score, i) => (score === 0 ? -1 : i)).filter((i) => i >= 0)).toEqual([
    0, 2, 3, 6, 7, 14,
  ]);
  expect(tokens).toBeGreaterThan(6 * 3);
});

test('segments of the pair are learned', async () => {
  const step = await stepOf(nll);
  const gradients = model.parameters.zerosLike();
  await step.addGradients(batch, gradients, RANDOM);
  await step.release();
  expect(gradients.get('embeddings.token_type_embeddings.weight').some((value) => value !== 0)).toBe(true);
});

test('a batch of a single pair is no special case', async () => {
  const step = await stepOf(bce);
  const lone: RetrievalBatch = {
    examples: 1,
    queries: [batch.queries[0]],
    documents: [batch.documents[0]],
    positives: [0],
    negatives: [[]],
  };
  const gradients = model.parameters.zerosLike();
  const { loss, scores } = await step.addGradients(lone, gradients, RANDOM);
  await step.release();
  expect(loss).toBeCloseTo(Math.log1p(Math.exp(-scores[0])), 5);
  expect(gradients.get('head.score.bias')[0]).toBeCloseTo(-1 / (1 + Math.exp(scores[0])), 5);
});
