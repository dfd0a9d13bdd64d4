import { expect, test } from 'vitest';
import { differentiateLoss, emitOnnx, Graph, matmul, Random, Session } from '../../engine/index.js';
import { matryoshka } from '../../loss/index.js';
import { buildObjective, DOCUMENTS, QUERIES } from './objective.js';

const [SIZE, ROWS, SCALE] = [5, 3, 2];
const [PREFIXES, WEIGHTS] = [
  [2, 3],
  [1, 0.5, 2],
];

/** InfoNCE over the first numbers of rows, plainly and in float64: the positive of query i is document i. */
function reference(q: readonly number[], d: readonly number[], normalized: boolean): number {
  const cut = (rows: readonly number[], row: number, length: number): number[] => {
    const part = rows.slice(row * SIZE, row * SIZE + length);
    const norm = normalized && length < SIZE ? Math.hypot(...part) : 1;
    return part.map((value) => value / norm);
  };
  const lossOf = (length: number): number => {
    let sum = 0;
    for (let query = 0; query < ROWS; query++) {
      const scores = Array.from({ length: ROWS }, (_, document) => {
        const [a, b] = [cut(q, query, length), cut(d, document, length)];
        return SCALE * a.reduce((dot, value, i) => dot + value * b[i], 0);
      });
      sum += Math.log(scores.reduce((total, score) => total + Math.exp(score), 0)) - scores[query];
    }
    return sum / ROWS;
  };
  const losses = [SIZE, ...PREFIXES].map(lossOf);
  const total = WEIGHTS.reduce((sum, weight) => sum + weight, 0);
  return losses.reduce((sum, loss, i) => sum + WEIGHTS[i] * loss, 0) / total;
}

test.each([true, false])(
  'matryoshka learns on prefixes (normalised: %s), values and gradients',
  async (normalized) => {
    const graph = new Graph();
    const [q, d] = [graph.input('q', [QUERIES, SIZE]), graph.input('d', [DOCUMENTS, SIZE])];
    const scores = matmul(q, d, { transposeB: true, alpha: SCALE });
    const loss = matryoshka({ dimensions: PREFIXES, weights: WEIGHTS });
    const objective = buildObjective(graph, { scores, rows: { queries: q, documents: d, normalized } }, [
      { loss, scale: SCALE },
    ]);
    const { dense } = differentiateLoss(objective.loss, [q, d]);
    const outputs = { loss: objective.loss, dq: dense.get(q)!, dd: dense.get(d)! };
    const session = await Session.create(emitOnnx(graph, { outputs }), { threads: 1 });
    const random = Random.from(4, 'prefixes');
    const draw = (): number[] => Array.from({ length: ROWS * SIZE }, () => Math.fround(random.normal()));
    const given = { q: draw(), d: draw() };
    const square = (value: (row: number, column: number) => number) => ({
      shape: [ROWS, ROWS],
      data: Float32Array.from({ length: ROWS * ROWS }, (_, i) => value(Math.floor(i / ROWS), i % ROWS)),
    });
    const result = await session.run({
      q: { shape: [ROWS, SIZE], data: Float32Array.from(given.q) },
      d: { shape: [ROWS, SIZE], data: Float32Array.from(given.d) },
      positive: square((row, column) => (row === column ? 1 : 0)),
      'negative.batch': square((row, column) => (row === column ? 0 : 1)),
    });
    expect(Number(result.loss.data[0])).toBeCloseTo(reference(given.q, given.d, normalized), 5);
    for (const [name, gradient] of [
      ['q', result.dq],
      ['d', result.dd],
    ] as const) {
      given[name].forEach((value, i) => {
        const at = (changed: number): number => {
          given[name][i] = changed;
          const changedLoss = reference(given.q, given.d, normalized);
          given[name][i] = value;
          return changedLoss;
        };
        const numeric = (at(value + 1e-5) - at(value - 1e-5)) / 2e-5;
        expect(Math.abs(Number(gradient.data[i]) - numeric)).toBeLessThan(1e-5);
      });
    }
    await session.release();
  },
);

test('a prefix longer than the vectors is named', () => {
  const graph = new Graph();
  const [q, d] = [graph.input('q', [QUERIES, SIZE]), graph.input('d', [DOCUMENTS, SIZE])];
  const scores = matmul(q, d, { transposeB: true });
  const rows = { queries: q, documents: d, normalized: true };
  expect(() => buildObjective(graph, { scores, rows }, [{ loss: matryoshka({ dimensions: [6] }) }])).toThrow(
    "loss.dimensions: expected at most 5, the model's, got 6",
  );
});
