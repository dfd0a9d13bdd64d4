import { beforeAll, describe, expect, test } from 'vitest';
import { fillNormal, randomKey } from '../../engine/index.js';
import { bce, type Loss, nll, rankNet } from '../../loss/index.js';
import { type CrossEncoderModel, createCrossEncoder, createEncoderModel } from '../../model/index.js';
import { Tokenizer } from '../../text/index.js';
import { tokensAt } from '../../text/token-batch.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import type { TrainingBatch } from '../task/batch.js';
import { PairStep } from './pair-step.js';

const RANDOM = { seed: 1, step: 0 };
let model: CrossEncoderModel;
let batch: TrainingBatch;

beforeAll(async () => {
  const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
  const options = { tokenizer, hiddenSize: 8, layers: 2, heads: 2, maxLength: 20, dropout: 0 };
  model = createCrossEncoder(createEncoderModel(options));
  for (const name of model.parameters.names) {
    if (/LayerNorm\.weight/.test(name)) model.parameters.get(name).fill(1);
    else fillNormal(model.parameters.get(name), 0.3, randomKey(1, name));
  }
  const texts = async (...all: string[]): Promise<TrainingBatch['documents']> => {
    const encoded = await tokenizer.encodeBatch(all);
    return all.map((_, i) => ({ ids: tokensAt(encoded, i) }));
  };
  batch = {
    queries: await texts('near', 'a miss', 'b'),
    documents: await texts('near miss', 'a b', 'miss', 'near a miss, a b', 'b near'),
    positives: [0, 1, 4],
    // Queries with two, one and no negatives; one document serves two queries.
    negatives: [[2, 3], [2], []],
  };
});

describe.each<Loss>([nll, bce, rankNet])('$name', (loss) => {
  test('gradients agree with finite differences', async () => {
    const step = await PairStep.create({ model, loss, scale: 2, session: { threads: 1 } });
    const gradients = model.parameters.zerosLike();
    await step.addGradients(batch, gradients, RANDOM);
    const lossAt = async (): Promise<number> =>
      (await step.addGradients(batch, model.parameters.zerosLike(), RANDOM)).loss;
    const h = 1e-2;
    for (const name of model.parameters.names) {
      const [values, gradient] = [model.parameters.get(name), gradients.get(name)];
      // The steepest of a parameter's numbers, where float32's rounding matters least.
      let at = 0;
      gradient.forEach((slope, i) => {
        if (Math.abs(slope) > Math.abs(gradient[at])) at = i;
      });
      const value = values[at];
      values[at] = value + h;
      const above = await lossAt();
      values[at] = value - h;
      const below = await lossAt();
      values[at] = value;
      const slope = (above - below) / (2 * h);
      expect(Math.abs(slope - gradient[at]), `${name}[${at}]: ${gradient[at]}`).toBeLessThan(
        2e-3 + 0.03 * Math.abs(slope),
      );
    }
    const weights = gradients.get('embeddings.token_type_embeddings.weight');
    expect(weights.some((value) => value !== 0)).toBe(true);
    await step.release();
  });
});

test('scores stand where their pairs belong, and nowhere else', async () => {
  const { CrossEncoder } = await import('../../model/index.js');
  const step = await PairStep.create({ model, loss: nll, session: { threads: 1 } });
  const { scores, tokens } = await step.addGradients(batch, model.parameters.zerosLike(), RANDOM);
  await step.release();
  const scorer = await CrossEncoder.create(model, { session: { threads: 1 } });
  const [own] = await scorer.score('a miss', ['miss']);
  await scorer.release();
  expect(scores[1 * 5 + 2]).toBeCloseTo(own, 5);
  expect(Array.from(scores, (score, i) => (score === 0 ? -1 : i)).filter((i) => i >= 0)).toEqual([
    0, 2, 3, 6, 7, 14,
  ]);
  expect(tokens).toBeGreaterThan(6 * 3);
});

test('a batch of a single pair is no special case', async () => {
  const step = await PairStep.create({ model, loss: bce, session: { threads: 1 } });
  const lone = {
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
