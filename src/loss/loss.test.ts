import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differentiateLoss, emitOnnx, Graph, Random, Session } from '../engine/index.js';
import {
  bce,
  hinge,
  infoNce,
  kl,
  type Loss,
  lambda,
  marginFit,
  marginMse,
  marginMseInBatch,
  nll,
  rankNet,
} from './index.js';

/** One query of a batch: its scores, which document is its positive, which are its negatives. */
interface Row {
  scores: number[];
  positive: number;
  negatives: number[];
}

// Each loss again, plainly and in float64.
const softmaxReference = (rows: Row[]): number =>
  mean(
    rows.map(({ scores, positive, negatives }) => {
      const all = [positive, ...negatives].map((document) => scores[document]);
      const top = Math.max(...all);
      return top + Math.log(all.reduce((sum, score) => sum + Math.exp(score - top), 0)) - scores[positive];
    }),
  );
const pairReference = (lossOf: (difference: number) => number) => (rows: Row[]) =>
  mean(
    rows.flatMap(({ scores, positive, negatives }) =>
      negatives.map((document) => lossOf(scores[positive] - scores[document])),
    ),
  );
const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

const losses: { loss: Loss; reference: (rows: Row[]) => number }[] = [
  { loss: nll, reference: softmaxReference },
  { loss: infoNce, reference: softmaxReference },
  {
    loss: bce,
    reference: (rows) =>
      mean(
        rows.flatMap(({ scores, positive, negatives }) => [
          softplus(-scores[positive]),
          ...negatives.map((document) => softplus(scores[document])),
        ]),
      ),
  },
  { loss: hinge({ margin: 1 }), reference: pairReference((difference) => Math.max(0, 1 - difference)) },
  { loss: hinge({ margin: 0.2 }), reference: pairReference((difference) => Math.max(0, 0.2 - difference)) },
  { loss: rankNet(), reference: pairReference((difference) => softplus(-difference)) },
];

/** Two queries without negatives. */
const ALONE: Row[] = [
  { scores: [1, 2], positive: 0, negatives: [] },
  { scores: [3, 4], positive: 1, negatives: [] },
];

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const batch = fc
  .record({
    queries: fc.integer({ min: 1, max: 5 }),
    documents: fc.integer({ min: 2, max: 7 }),
    seed: fc.integer(),
  })
  .map(({ queries, documents, seed }) => {
    const random = Random.from(seed, 'loss');
    return Array.from({ length: queries }, (): Row => {
      const scores = Array.from({ length: documents }, () => Math.fround(random.normal() * 4));
      const order = random.shuffle(Array.from({ length: documents }, (_, i) => i));
      return { scores, positive: order[0], negatives: order.slice(1, 2 + random.integer(documents - 1)) };
    });
  });

function mask(rows: Row[], members: (row: Row) => number[]): Float32Array {
  return Float32Array.from(
    rows.flatMap((row) => row.scores.map((_, d) => (members(row).includes(d) ? 1 : 0))),
  );
}

async function sessionOf(loss: Loss): Promise<Session> {
  const graph = new Graph();
  const [scores, positive, negative] = ['scores', 'positive', 'negative'].map((name) =>
    graph.input(name, ['queries', 'documents']),
  );
  const value = loss.build({ scores, positive, negative });
  const gradient = differentiateLoss(value, [scores]).dense.get(scores)!;
  return Session.create(emitOnnx(graph, { outputs: { loss: value, gradient } }), { threads: 1 });
}

/** Of a loss that learns from a teacher. */
async function taughtSessionOf(loss: Loss): Promise<Session> {
  const graph = new Graph();
  const [scores, positive, negative, taught, known] = [
    'scores',
    'positive',
    'negative',
    'teacher',
    'known',
  ].map((name) => graph.input(name, ['queries', 'documents']));
  const value = loss.build({ scores, positive, negative, teacher: { scores: taught, known } });
  const gradient = differentiateLoss(value, [scores]).dense.get(scores)!;
  return Session.create(emitOnnx(graph, { outputs: { loss: value, gradient } }), { threads: 1 });
}

describe.each(losses)('loss $loss.name', ({ loss, reference }) => {
  test('value and gradient equal a plain float64 implementation', async () => {
    const session = await sessionOf(loss);
    const check = async (rows: Row[]): Promise<void> => {
      const shape = [rows.length, rows[0].scores.length];
      const result = await session.run({
        scores: { shape, data: Float32Array.from(rows.flatMap((row) => row.scores)) },
        positive: { shape, data: mask(rows, (row) => [row.positive]) },
        negative: { shape, data: mask(rows, (row) => row.negatives) },
      });
      const expected = reference(rows);
      expect(Math.abs(Number(result.loss.data[0]) - expected)).toBeLessThan(1e-5 * Math.max(1, expected));
      rows.forEach((row, q) => {
        row.scores.forEach((score, d) => {
          const at = (value: number): number => {
            row.scores[d] = value;
            const loss = reference(rows);
            row.scores[d] = score;
            return loss;
          };
          const numeric = (at(score + 1e-5) - at(score - 1e-5)) / 2e-5;
          expect(Math.abs(Number(result.gradient.data[q * shape[1] + d]) - numeric)).toBeLessThan(1e-4);
        });
      });
    };
    await fc.assert(fc.asyncProperty(batch, check), { numRuns: 40, seed: 11 });
    await session.release();
  });

  test('stays finite at extreme scores', async () => {
    const session = await sessionOf(loss);
    const result = await session.run({
      scores: { shape: [2, 2], data: Float32Array.of(-3e4, 3e4, 3e4, -3e4) },
      positive: { shape: [2, 2], data: Float32Array.of(1, 0, 1, 0) },
      negative: { shape: [2, 2], data: Float32Array.of(0, 1, 0, 1) },
    });
    expect(Number.isFinite(result.loss.data[0])).toBe(true);
    expect([...result.gradient.data].every(Number.isFinite)).toBe(true);
    await session.release();
  });

  test('stays finite where no query of the batch has a negative', async () => {
    const session = await sessionOf(loss);
    const result = await session.run({
      scores: { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) },
      positive: { shape: [2, 2], data: Float32Array.of(1, 0, 0, 1) },
      negative: { shape: [2, 2], data: new Float32Array(4) },
    });
    const [value, gradient] = [Number(result.loss.data[0]), [...result.gradient.data].map(Number)];
    await session.release();
    // Only where each pair counts by itself is there still something to learn.
    const expected = loss.name === 'bce' ? reference(ALONE) : 0;
    expect(value).toBeCloseTo(expected, 6);
    if (loss.name !== 'bce') expect(gradient.map(Math.abs)).toEqual([0, 0, 0, 0]);
    expect(gradient.every(Number.isFinite)).toBe(true);
  });
});

describe.each([kl(), kl({ direction: 'student-first' }), marginMse, marginMseInBatch, marginFit])(
  'what the teacher does not know: $name',
  (loss) => {
    const shape = [2, 3];
    const lossOf = async (student: number[], teacher: number[], known: number[]) => {
      const session = await taughtSessionOf(loss);
      const feed = (data: number[]) => ({ shape, data: Float32Array.from(data) });
      const result = await session.run({
        scores: feed(student),
        positive: feed([1, 0, 0, 1, 0, 0]),
        negative: feed([0, 1, 1, 0, 1, 1]),
        teacher: feed(teacher),
        known: feed(known),
      });
      await session.release();
      return { loss: Number(result.loss.data[0]), gradient: [...result.gradient.data].map(Number) };
    };
    const student = [1, 2, 3, -1, 0, 4];

    test('does not count, whatever stands there', async () => {
      const known = [1, 1, 0, 0, 1, 1];
      const { loss: value, gradient } = await lossOf(student, [2, 1, 0, 0, 1, 2], known);
      const other = await lossOf(student, [2, 1, 9, 9, 1, 2], known);
      expect(value).toBeGreaterThan(0);
      expect(other.loss).toBeCloseTo(value, 6);
      expect(gradient[2]).toBeCloseTo(0, 9);
    });

    test('is a loss of 0 without a gradient where it is everything', async () => {
      const { loss: value, gradient } = await lossOf(student, [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]);
      expect(value).toBe(0);
      expect(gradient.map(Math.abs)).toEqual([0, 0, 0, 0, 0, 0]);
    });
  },
);

test.each(['rr', 'ndcg'] as const)(
  'lambda by %s is a loss of 0 without a gradient where nothing is relevant',
  async (measure) => {
    const graph = new Graph();
    const input = (name: string) => graph.input(name, ['queries', 'list']);
    const [scores, gains, present, ideal] = ['scores', 'gains', 'present', 'ideal'].map(input);
    const value = lambda({ measure }).build({
      ...{ scores, positive: scores, negative: scores },
      lists: { scores, gains, present, ideal },
    });
    const gradient = differentiateLoss(value, [scores]).dense.get(scores)!;
    const session = await Session.create(emitOnnx(graph, { outputs: { loss: value, gradient } }), {
      threads: 1,
    });
    const feed = (...data: number[]) => ({ shape: [2, 2], data: Float32Array.from(data) });
    const lists = { scores: feed(1, 2, 0, 0), gains: feed(0, 0, 0, 0), ideal: feed(1, 2, 1, 2) };
    for (const present of [feed(1, 1, 0, 0), feed(0, 0, 0, 0)]) {
      const result = await session.run({ ...lists, present });
      expect(Number(result.loss.data[0])).toBe(0);
      expect([...result.gradient.data].map((number) => Math.abs(Number(number)))).toEqual([0, 0, 0, 0]);
    }
    await session.release();
  },
);

test('margin-fit asks for margins as the teacher has them, and not for their size', async () => {
  const session = await taughtSessionOf(marginFit);
  const lossOf = async (student: number[]) => {
    const feed = (...data: number[]) => ({ shape: [2, 3], data: Float32Array.from(data) });
    const result = await session.run({
      scores: feed(...student),
      positive: feed(1, 0, 0, 0, 1, 0),
      negative: feed(0, 1, 1, 1, 0, 1),
      teacher: feed(6, 2, 4, 1, 9, 0),
      known: feed(1, 1, 1, 1, 1, 1),
    });
    return { loss: Number(result.loss.data[0]), gradient: [...result.gradient.data].map(Number) };
  };
  const alike = await lossOf([0.6, 0.2, 0.4, 0.1, 0.9, 0]);
  expect(alike.loss).toBeCloseTo(0, 4);
  for (const slope of alike.gradient) expect(slope).toBeCloseTo(0, 3);
  const student = [0.5, 0.2, 0.1, 0, 0.3, 0.1];
  const [small, large] = [await lossOf(student), await lossOf(student.map((score) => 10 * score))];
  expect(small.loss).toBeGreaterThan(1);
  expect(large.loss).toBeCloseTo(small.loss, 3);
  // Against the teacher throughout, whose margins are 4, 2, 8 and 9: no factor fits.
  const against = await lossOf([-6, -2, -4, -1, -9, 0]);
  expect(against.loss).toBeCloseTo((16 + 4 + 64 + 81) / 4, 3);
  expect(against.gradient.map(Math.abs)).toEqual([0, 0, 0, 0, 0, 0]);
  for (const [place, slope] of small.gradient.entries()) {
    const moved = (by: number) => lossOf(student.map((score, i) => score + (i === place ? by : 0)));
    const [up, down] = [await moved(1e-3), await moved(-1e-3)];
    expect(Math.abs(slope - (up.loss - down.loss) / 2e-3)).toBeLessThan(0.02 * Math.abs(slope) + 0.05);
  }
  await session.release();
});
