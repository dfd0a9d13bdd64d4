import { describe, expect, test } from 'vitest';
import { fillNormal, type ParameterSpec, ParameterStore, Random, randomKey } from '../../engine/index.js';
import { flopsLoss } from '../../loss/flops.js';
import { bce, infoNce, kl, lambda, marginMse, marginMseInBatch, nll, rankNet } from '../../loss/index.js';
import { bertParameters } from '../../model/encoder/bert.js';
import { embeddingSize, type HeadConfig, projectorParameters } from '../../model/encoder/encoder-graph.js';
import { type MaskedText, maskWords } from '../../model/mlm/mask-words.js';
import { mlmHeadParameters } from '../../model/mlm/mlm-head.js';
import { makesTerms, pooledRow } from '../../model/representation/kinds.js';
import { decoderParameters } from '../../model/retromae/decoder.js';
import { scorers } from '../../model/scorer/kinds.js';
import { crossEncoder } from '../cross-encoder.fixture.js';
import { learnsExcept } from '../frozen.js';
import { randomBatch, SMALL_SPEC, smallParameters } from '../small-model.fixture.js';
import type { RetrievalBatch } from '../task/batch.js';
import { CachedStep } from './cached-step.js';
import { DirectStep } from './direct-step.js';
import { MaskedStep, maskedBatch } from './masked-step.js';
import type { StageLoss } from './objective.js';
import { pairScores } from './pair-scores.js';
import { type RetroMaeBatch, RetroMaeStep, retroMaeBatches } from './retromae-step.js';
import { stepConformance } from './step.conformance.js';
import { towerScores } from './tower-scores.js';
import { scorerFor, towerStep } from './tower-step.fixture.js';

const session = { threads: 1 };
const spec = SMALL_SPEC;
const dot = scorerFor();

/** The first two queries of a batch, and the others; documents stay. */
function inTwo(batch: RetrievalBatch): [RetrievalBatch, RetrievalBatch] {
  const part = (first: number, end: number): RetrievalBatch => ({
    ...batch,
    examples: end - first,
    queries: batch.queries.slice(first, end),
    positives: batch.positives.slice(first, end),
    negatives: batch.negatives.slice(first, end),
    known: batch.known?.slice(first, end),
  });
  return [part(0, 2), part(2, batch.queries.length)];
}

for (const towers of ['shared', 'two'] as const) {
  stepConformance({
    name: `towers: ${towers}`,
    async make() {
      const parameters = smallParameters(towers);
      const step = await towerStep({ spec, parameters, towers, loss: nll, scale: 5, session });
      return { step, parameters, batch: randomBatch(1) };
    },
    parts: inTwo,
  });

  stepConformance({
    name: `gradient caching: ${towers}`,
    async make() {
      const parameters = smallParameters(towers);
      const losses = [{ loss: nll, scale: 5 }];
      const options = { spec, parameters, towers, losses, scorer: dot, tokenBudget: 40, session };
      return { step: await CachedStep.create(options), parameters, batch: randomBatch(1) };
    },
    parts: inTwo,
  });
}

/** Several rows a text: `max` for ME-BERT, `max-sim` for ColBERT, `poly` for Poly-encoders, `impact` for uniCOIL. */
const MANY_ROWS: Record<string, Pick<HeadConfig, 'pooling' | 'poolingOptions'>> = {
  max: { pooling: 'first-tokens', poolingOptions: { rows: 3 } },
  'max-sim': {
    pooling: 'tokens',
    poolingOptions: {
      queryMarker: 1,
      documentMarker: 2,
      fillQueries: 7,
      maskToken: 3,
      attendToMasks: false,
      skip: [5, 6, 7, 8, 9, 10],
      longest: 32,
    },
  },
  poly: { pooling: 'codes', poolingOptions: { codes: 3, documents: 'mean' } },
  impact: { pooling: 'token-weights', poolingOptions: { relu: true, skip: [] } },
};

for (const [scorer, pooling] of Object.entries(MANY_ROWS)) {
  const terms = makesTerms(pooling);
  const projection = { size: terms ? 1 : 12, layerNorm: false };
  const rows = { ...spec, head: { ...pooling, normalize: !terms, projection } };
  const make = async (cached: boolean) => {
    const parameters = smallParameters('shared', rows);
    const losses = [{ loss: infoNce, scale: 2 }];
    const scoring = { spec: rows, scorer: scorers.get(scorer).create({}) };
    const step = cached
      ? await CachedStep.create({ ...scoring, parameters, losses, tokenBudget: 40, session })
      : await DirectStep.create({ scores: towerScores(scoring), parameters, losses, session });
    return { step, parameters, batch: randomBatch(1) };
  };
  // Hundreds of maxima change hands nearby: measured, the slope comes right from 2e-4 on.
  const h = scorer === 'max-sim' ? 2e-4 : 1e-3;
  stepConformance({ name: `rows of ${pooling.pooling}`, h, make: () => make(false), parts: inTwo });

  test(`rows of ${pooling.pooling}: gradient caching gives the same gradients`, async () => {
    const [direct, cached] = [await make(false), await make(true)];
    const gradientsOf = async ({ step, parameters, batch }: typeof direct): Promise<Float32Array> => {
      const gradients = parameters.zerosLike();
      await step.addGradients(batch, gradients, { seed: 1, step: 0 });
      await step.release();
      return gradients.buffer;
    };
    const [expected, found] = [await gradientsOf(direct), await gradientsOf(cached)];
    expect(Math.max(...expected)).toBeGreaterThan(1e-2);
    found.forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(1e-5);
    });
  });
}

for (const cached of [false, true]) {
  stepConformance({
    name: `a projector that is no part of the model${cached ? ', gradient caching' : ''}`,
    async make() {
      const parameters = smallParameters('two', spec, projectorParameters);
      const options = { spec, towers: 'two', projector: true, scorer: dot } as const;
      const learning = { losses: [{ loss: infoNce, scale: 5 }], parameters, session };
      const step = cached
        ? await CachedStep.create({ ...options, ...learning, tokenBudget: 40 })
        : await DirectStep.create({ ...learning, scores: towerScores(options) });
      return { step, parameters, batch: randomBatch(1) };
    },
    parts: inTwo,
  });
}

stepConformance({
  name: 'one encoder, documents by the moving average of it',
  async make() {
    const parameters = smallParameters('shared');
    const scores = towerScores({ spec, scorer: dot, frozen: ['documents'] });
    const step = await DirectStep.create({
      scores,
      losses: [{ loss: infoNce, scale: 5 }],
      parameters,
      session,
    });
    return { step, parameters, batch: stored(randomBatch(1), 'documents') };
  },
  parts: inTwo,
});

stepConformance({
  name: 'MaxP',
  async make() {
    const parameters = smallParameters('shared');
    const step = await towerStep({ spec, parameters, loss: infoNce, scale: 5, maxPieces: 3, session });
    const batch: RetrievalBatch = {
      ...randomBatch(6, 4),
      pieceOffsets: [0, 1, 4, 6, 8],
      positives: [0, 1, 2, 3],
      negatives: [[1], [2], [3], [0]],
      known: undefined,
    };
    return { step, parameters, batch };
  },
});

stepConformance({
  name: 'several losses, one of a teacher',
  async make() {
    const parameters = smallParameters('shared');
    const losses = [
      { loss: infoNce, scale: 5 },
      { loss: marginMse, weight: 0.5 },
      { loss: rankNet(), weight: 0.25, scale: 2 },
    ];
    const scores = towerScores({ spec, scorer: dot });
    const step = await DirectStep.create({ scores, losses, parameters, session });
    return { step, parameters, batch: taught(randomBatch(3)) };
  },
});

stepConformance({
  name: 'distillation over lists and the batch, other positives, ndcg',
  async make() {
    const parameters = smallParameters('shared');
    const losses = [
      { loss: kl(), scale: 2 },
      { loss: kl({ direction: 'student-first', teacherTemperature: 3 }), weight: 0.5 },
      { loss: marginMseInBatch, weight: 0.02 },
      { loss: rankNet({ against: 'positives' }), scale: 2 },
      { loss: lambda({ measure: 'ndcg', cut: 3 }), scale: 5 },
    ];
    const scores = towerScores({ spec, scorer: dot });
    const step = await DirectStep.create({ scores, losses, parameters, session });
    return { step, parameters, batch: taught(randomBatch(4)) };
  },
});

for (const side of ['queries', 'documents'] as const) {
  const learns = learnsExcept([side, 'embeddings', 'layers.0']);
  const losses = [{ loss: lambda({ cut: 5 }), scale: 5 }];
  const options = { spec, towers: 'two', scorer: dot, frozen: [side], losses, learns, session } as const;
  stepConformance({
    name: `frozen ${side}, lists`,
    frozen: (name) => !learns(name),
    async make() {
      const parameters = smallParameters('two');
      const step = await DirectStep.create({ ...options, scores: towerScores(options), parameters });
      return { step, parameters, batch: stored(randomBatch(4), side) };
    },
  });

  stepConformance({
    name: `frozen ${side}, gradient caching`,
    frozen: (name) => !learns(name),
    async make() {
      const parameters = smallParameters('two');
      const step = await CachedStep.create({ ...options, parameters, tokenBudget: 40 });
      return { step, parameters, batch: stored(randomBatch(4), side) };
    },
  });
}

/** An encoder with what learns beside it in one store, and texts some of whose words are hidden. */
function hiddenWords(beside: readonly ParameterSpec[]): { parameters: ParameterStore; texts: MaskedText[] } {
  const { config } = spec;
  const parameters = new ParameterStore([...bertParameters(config), ...mlmHeadParameters(config), ...beside]);
  for (const name of parameters.names) {
    if (/norm\.weight/i.test(name)) parameters.get(name).fill(1);
    else fillNormal(parameters.get(name), 0.2, randomKey(1, name));
  }
  const random = Random.from(1, 'hidden');
  const texts = randomBatch(1).documents.map(({ ids }) => {
    const words = Int32Array.from(ids, (_, place) => place);
    const options = { share: 0.3, wholeWords: true, maskId: 4, others: Int32Array.of(5, 6, 7), random };
    return maskWords({ ids: Int32Array.from(ids), words }, options)!;
  });
  return { parameters, texts };
}

stepConformance({
  name: 'hidden words, the table of words shared with the head',
  async make() {
    const { parameters, texts } = hiddenWords([]);
    const { config } = spec;
    const step = await MaskedStep.create({ config, parameters, head: parameters, session });
    return { step, parameters, batch: maskedBatch(texts) };
  },
  parts: ({ texts }) => [maskedBatch(texts.slice(0, 3)), maskedBatch(texts.slice(3))],
});

describe('texts rebuilt from their vectors (RetroMAE)', () => {
  const { config } = spec;
  const make = async (pooling: string, share: number) => {
    const { parameters, texts } = hiddenWords(decoderParameters(config));
    const step = await RetroMaeStep.create({
      config,
      pooling: pooledRow({ pooling })!,
      parameters,
      beside: parameters,
      share,
      wholeWords: true,
      session,
    });
    return { step, parameters, batch: retroMaeBatches([texts])[0] };
  };
  stepConformance({ name: 'the mean of the states', make: () => make('mean', 0.5) });
  stepConformance({
    name: 'the first state, of which alone words are rebuilt',
    make: () => make('first', 1),
    // What is seen is drawn for each part by itself: here nothing is.
    parts: ({ texts }) =>
      retroMaeBatches([texts.slice(0, 5), texts.slice(5)]) as [RetroMaeBatch, RetroMaeBatch],
  });

  test('the loss is the sum of both, and the decoder alone teaches the vector', async () => {
    const { step, parameters, batch } = await make('first', 0.5);
    const gradients = parameters.zerosLike();
    const { loss, parts } = await step.addGradients(batch, gradients, { seed: 1, step: 0 });
    expect(loss).toBeCloseTo(parts!.encoder + parts!.decoder, 5);
    const alone = { ...batch, hiddenShare: Number.POSITIVE_INFINITY };
    const decoded = parameters.zerosLike();
    await step.addGradients(alone, decoded, { seed: 1, step: 0 });
    expect(Math.hypot(...decoded.get('encoder.layer.0.output.dense.weight'))).toBeGreaterThan(1e-2);
    await step.release();
  });

  test('what a token sees is drawn by step and part', async () => {
    const { step, parameters, batch } = await make('mean', 0.5);
    const lossAt = async (run: { step: number; part?: number }): Promise<number> =>
      (await step.addGradients(batch, parameters.zerosLike(), { seed: 1, ...run })).parts!.decoder;
    const losses = [await lossAt({ step: 0 }), await lossAt({ step: 1 }), await lossAt({ step: 0, part: 1 })];
    expect(new Set(losses).size).toBe(3);
    await step.release();
  });
});

for (const loss of [nll, bce, rankNet()]) {
  stepConformance({
    name: `cross-encoder: ${loss.name}`,
    async make() {
      const { model, batch } = await crossEncoder();
      const losses = [{ loss, scale: 2 }];
      const { parameters } = model;
      const step = await DirectStep.create({ scores: pairScores({ model }), losses, parameters, session });
      return { step, parameters, batch };
    },
  });
}

test('several losses are told apart and add up by their weights', async () => {
  const parameters = smallParameters('shared');
  const [first, second] = [
    { loss: nll, scale: 5 },
    { loss: rankNet(), scale: 2, weight: 0.5 },
  ];
  const lossOf = async (
    ...losses: (typeof first)[]
  ): Promise<{ loss: number; parts?: Record<string, number> }> => {
    const step = await DirectStep.create({
      scores: towerScores({ spec, scorer: dot }),
      losses,
      parameters,
      session,
    });
    const result = await step.addGradients(randomBatch(2), parameters.zerosLike(), { seed: 1, step: 0 });
    await step.release();
    return result;
  };
  const [alone, other] = [await lossOf(first), await lossOf(second)];
  const both = await lossOf(first, second);
  expect(both.parts!.nll).toBeCloseTo(alone.loss, 5);
  expect(both.parts!.ranknet).toBeCloseTo(2 * other.loss, 5);
  expect(both.loss).toBeCloseTo(alone.loss + other.loss, 5);
  expect(alone.parts).toBeUndefined();
});

test("a loss with a teacher of its own learns from that one, the others from the stage's", async () => {
  const parameters = smallParameters('shared');
  const batch = taught(randomBatch(4));
  const other = scoresOf(batch, 'another teacher');
  const learn = async (
    batch: RetrievalBatch,
    losses: readonly StageLoss[],
  ): Promise<{ loss: number; gradients: Float32Array }> => {
    const scores = towerScores({ spec, scorer: dot });
    const step = await DirectStep.create({ scores, losses, parameters, session });
    const gradients = parameters.zerosLike();
    const { loss } = await step.addGradients(batch, gradients, { seed: 1, step: 0 });
    await step.release();
    return { loss, gradients: gradients.buffer };
  };
  const pairs = await learn(batch, [{ loss: marginMse }]);
  const ofBatch = await learn({ ...batch, teacher: other }, [{ loss: marginMseInBatch, weight: 0.1 }]);
  const both = await learn({ ...batch, lossTeachers: new Map([[1, other]]) }, [
    { loss: marginMse },
    { loss: marginMseInBatch, weight: 0.1, ownTeacher: true },
  ]);
  expect(both.loss).toBeCloseTo(pairs.loss + ofBatch.loss, 5);
  const apart = both.gradients.map((gradient, i) => gradient - pairs.gradients[i] - ofBatch.gradients[i]);
  expect(Math.max(...apart.map(Math.abs))).toBeLessThan(1e-5);
  const alike = await learn(batch, [{ loss: marginMse }, { loss: marginMseInBatch, weight: 0.1 }]);
  expect(Math.abs(alike.loss - both.loss)).toBeGreaterThan(1e-3);
});

/** With a teacher who knows most pairs. */
function taught(batch: RetrievalBatch): RetrievalBatch {
  return { ...batch, teacher: scoresOf(batch, 'teacher') };
}

function scoresOf(batch: RetrievalBatch, teacher: string): NonNullable<RetrievalBatch['teacher']> {
  const random = Random.from(1, teacher);
  const pairs = batch.queries.length * batch.documents.length;
  const known = Float32Array.from({ length: pairs }, () => (random.uniform() < 0.8 ? 1 : 0));
  return { known, scores: known.map((is) => is * random.normal()) };
}

/** With a side as random vectors of length 1. */
function stored(batch: RetrievalBatch, side: 'queries' | 'documents'): RetrievalBatch {
  const random = Random.from(1, 'stored');
  const size = embeddingSize(spec);
  const rows = batch[side].map(() => {
    const row = Array.from({ length: size }, () => random.normal());
    return row.map((value) => value / Math.hypot(...row));
  });
  const offsets = Uint32Array.from([...rows.keys(), rows.length]);
  return { ...batch, [side]: [], rows: { [side]: { vectors: Float32Array.from(rows.flat()), offsets } } };
}

describe('a weight for every word of the vocabulary (SPLADE)', () => {
  const words = { ...spec, head: { pooling: 'vocabulary', normalize: false } };
  const losses = [
    { loss: infoNce },
    { loss: flopsLoss({ documents: 3, queries: 2, rise: 0.5 }), weight: 0.01 },
  ];
  const make = async (cached: boolean, at = 0.25, learned: readonly StageLoss[] = losses) => {
    const parameters = smallParameters('shared', words);
    const scoring = { spec: words, scorer: scorers.get('impact').create({}) };
    const shared = { parameters, losses: learned, progress: () => at, session };
    const step = cached
      ? await CachedStep.create({ ...scoring, ...shared, tokenBudget: 40 })
      : await DirectStep.create({ ...shared, scores: towerScores(scoring) });
    return { step, parameters, batch: randomBatch(1) };
  };
  // What is asked for is a number of words, which jumps: finite differences are asked of the cost alone.
  const smooth = [{ loss: infoNce }, { loss: flopsLoss({ documents: 0, queries: 0 }), weight: 0.01 }];
  stepConformance({ name: 'its step', h: 2e-4, make: () => make(false, 1, smooth) });

  test('gradient caching gives the same gradients', async () => {
    const gradientsOf = async ({ step, parameters, batch }: Awaited<ReturnType<typeof make>>) => {
      const gradients = parameters.zerosLike();
      await step.addGradients(batch, gradients, { seed: 1, step: 0 });
      await step.release();
      return gradients.buffer;
    };
    const [expected, found] = [await gradientsOf(await make(false)), await gradientsOf(await make(true))];
    found.forEach((value, i) => {
      expect(Math.abs(value - expected[i])).toBeLessThan(1e-4);
    });
  });

  test('FLOPS grow with the square of the time, until their share of the stage is over', async () => {
    const costAt = async (at: number): Promise<number> => {
      const { step, parameters, batch } = await make(false, at);
      const { parts } = await step.addGradients(batch, parameters.zerosLike(), { seed: 1, step: 0 });
      await step.release();
      return parts!.flops;
    };
    const whole = await costAt(0.5);
    expect(whole).toBeGreaterThan(0);
    expect(await costAt(0)).toBe(0);
    expect((await costAt(0.25)) / whole).toBeCloseTo(0.25, 4);
    expect(await costAt(1)).toBeCloseTo(whole, 4);
  });
});
