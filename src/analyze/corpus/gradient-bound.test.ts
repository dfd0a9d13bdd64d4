import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differentiateLoss, emitOnnx, Graph, matmul, Random, Session } from '../../engine/index.js';
import { nll } from '../../loss/index.js';
import { buildObjective } from '../../train/step/objective.js';
import { gradientBound, lastLayerGradientNorm, type Triple } from './gradient-bound.js';

const DIMENSION = 6;

function vector(random: Random, scale = 1): Float32Array {
  return Float32Array.from({ length: DIMENSION }, () => scale * random.normal());
}

function randomTriple(seed: number, scale = 1): Triple {
  const random = Random.from(seed, 'triple');
  return { query: vector(random, scale), positive: vector(random, scale), negative: vector(random, scale) };
}

/** The pair loss as it is defined, in double precision. */
function pairLoss(values: Float64Array, temperature: number): number {
  const [q, positive, negative] = [0, 1, 2].map((i) => values.subarray(i * DIMENSION, (i + 1) * DIMENSION));
  const score = (d: Float64Array): number => q.reduce((sum, value, i) => sum + value * d[i], 0) / temperature;
  return -Math.log(Math.exp(score(positive)) / (Math.exp(score(positive)) + Math.exp(score(negative))));
}

test('is the norm of the finite differences of the pair loss by all three embeddings', () => {
  fc.assert(
    fc.property(fc.integer(), fc.double({ min: 0.3, max: 3, noNaN: true }), (seed, temperature) => {
      const triple = randomTriple(seed);
      const values = Float64Array.from([...triple.query, ...triple.positive, ...triple.negative]);
      const differences = values.map((_, i) => {
        const at = (offset: number): number => pairLoss(values.with(i, values[i] + offset), temperature);
        return (at(1e-5) - at(-1e-5)) / 2e-5;
      });
      const expected = Math.hypot(...differences);
      expect(lastLayerGradientNorm(triple, temperature)).toBeCloseTo(expected, 5);
    }),
  );
});

test("is the norm of the engine's own gradient of the embeddings in a training step", async () => {
  const graph = new Graph();
  const queries = graph.input('queries', ['queries', DIMENSION]);
  const documents = graph.input('documents', ['documents', DIMENSION]);
  const temperature = 0.5;
  const scores = matmul(queries, documents, { transposeB: true, alpha: 1 / temperature });
  const { loss, weight, feeds } = buildObjective(graph, { scores }, [{ loss: nll, scale: 1 / temperature }]);
  const { dense } = differentiateLoss(loss, [queries, documents], weight);
  const outputs = { dQueries: dense.get(queries)!, dDocuments: dense.get(documents)! };
  const session = await Session.create(emitOnnx(graph, { outputs }), { threads: 1 });
  const triple = randomTriple(5, 0.7);
  const batch = {
    examples: 1,
    queries: [{ ids: new Int32Array() }],
    documents: [{ ids: new Int32Array() }, { ids: new Int32Array() }],
    positives: [0],
    negatives: [[1]],
  };
  const result = await session.run({
    queries: { shape: [1, DIMENSION], data: triple.query },
    documents: { shape: [2, DIMENSION], data: Float32Array.of(...triple.positive, ...triple.negative) },
    ...feeds(batch, 1),
  });
  await session.release();
  const gradient = [...(result.dQueries.data as Float32Array), ...(result.dDocuments.data as Float32Array)];
  expect(lastLayerGradientNorm(triple, temperature)).toBeCloseTo(Math.hypot(...gradient), 5);
});

test('vanishes for a negative far below the positive and stays finite for one far above', () => {
  const query = Float32Array.of(1, 0);
  const [near, far] = [Float32Array.of(1, 0), Float32Array.of(-1, 0)];
  expect(lastLayerGradientNorm({ query, positive: near, negative: far }, 0.01)).toBeLessThan(1e-80);
  expect(lastLayerGradientNorm({ query, positive: far, negative: near }, 0.01)).toBeCloseTo(
    100 * Math.sqrt(6),
    3,
  );
});

test('compares sources with in-batch negatives and with the true top', () => {
  const vectors = [Float32Array.of(1, 0), Float32Array.of(0.9, 0), Float32Array.of(0, 1)];
  const queries = [{ training: 0, positive: 0, positives: Int32Array.of(0), vector: Float32Array.of(1, 0) }];
  const drawn = [
    { source: 'in-batch', documents: [Int32Array.of(2)] },
    { source: 'true top', documents: [Int32Array.of(1)] },
    { source: 'bm25', documents: [new Int32Array()] },
  ];
  const vectorFor = (_: number, document: number): Float32Array => vectors[document];
  const { sources } = gradientBound({ queries, drawn, temperature: 0.1, vectorFor });
  const norm = (document: number): number =>
    lastLayerGradientNorm(
      { query: queries[0].vector, positive: vectors[0], negative: vectors[document] },
      0.1,
    );
  expect(sources.map(({ mean }) => mean)).toEqual([norm(2), norm(1), Number.NaN]);
  expect(sources[1].toInBatch).toBe(norm(1) / norm(2));
  expect(sources[0].toTop).toBe(norm(2) / norm(1));
  expect(sources[2].count).toBe(0);
});
