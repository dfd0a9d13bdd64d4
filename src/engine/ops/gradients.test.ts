import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differentiateLoss } from '../differentiate.js';
import { Graph, type Op, type Value } from '../graph.js';
import { emitOnnx } from '../onnx/emit.js';
import { Random } from '../random.js';
import { type DenseTensor, Session } from '../session.js';
import { productOf, sizeOf } from '../shape.js';
import * as ops from './index.js';

/** One way to use an op: the shapes of its float inputs for given sizes, and the value it makes of them. */
interface Case {
  shapes: (a: number, b: number, c: number) => number[][];
  build: (...inputs: Value[]) => Value;
  /** Moves random numbers to where the op is smooth and defined. */
  domain?: (x: number) => number;
}

const positive = (x: number): number => Math.abs(x) + 0.5;
const awayFromZero = (x: number): number => x + Math.sign(x || 1) * 0.3;
const pair = (a: number, b: number): number[][] => [
  [a, b],
  [a, b],
];

const cases: Record<string, Case> = {
  add: { shapes: pair, build: ops.add },
  'add with broadcasting': {
    shapes: (a, b, c) => [
      [a, b, c],
      [b, 1],
    ],
    build: ops.add,
  },
  sub: { shapes: (a, b) => [[a, b], [b]], build: ops.sub },
  mul: {
    shapes: (a, b, c) => [
      [a, 1, c],
      [b, c],
    ],
    build: ops.mul,
  },
  'mul with itself': { shapes: (a, b) => [[a, b]], build: (x) => ops.mul(x, x) },
  div: { shapes: pair, build: ops.div, domain: positive },
  exp: { shapes: (a, b) => [[a, b]], build: ops.exp },
  log: { shapes: (a, b) => [[a, b]], build: ops.log, domain: positive },
  sqrt: { shapes: (a, b) => [[a, b]], build: ops.sqrt, domain: positive },
  softplus: { shapes: (a, b) => [[a, b]], build: ops.softplus },
  sigmoid: { shapes: (a, b) => [[a, b]], build: ops.sigmoid },
  tanh: { shapes: (a, b) => [[a, b]], build: ops.tanh },
  relu: { shapes: (a, b) => [[a, b]], build: ops.relu, domain: awayFromZero },
  neg: { shapes: (a, b) => [[a, b]], build: ops.neg },
  erf: { shapes: (a, b) => [[a, b]], build: ops.erf },
  gelu: { shapes: (a, b) => [[a, b]], build: ops.gelu },
  pick: {
    shapes: (a, b) => [[a, b]],
    build: (x) => {
      const [rows, columns] = x.shape as number[];
      const picked = Int32Array.from({ length: rows * 3 }, (_, i) => (i * 7) % columns);
      return ops.pick(x, x.graph.constant({ shape: [rows, 3], data: picked }));
    },
  },
  spread: {
    shapes: (a, b) => [[a, b]],
    build: (x) => {
      const [rows, columns] = x.shape as number[];
      // Some columns twice, some never.
      const places = Int32Array.from({ length: rows * columns }, (_, i) => (i * 5) % (columns + 1));
      return ops.spread(x, x.graph.constant({ shape: [rows, columns], data: places }), columns + 2);
    },
  },
  'reduceSum over all': { shapes: (a, b) => [[a, b]], build: (x) => ops.reduceSum(x) },
  'reduceSum over one axis': {
    shapes: (a, b, c) => [[a, b, c]],
    build: (x) => ops.reduceSum(x, { axes: [1] }),
  },
  reduceMean: { shapes: (a, b, c) => [[a, b, c]], build: (x) => ops.reduceMean(x, { axes: [0, 2] }) },
  'reduceMean keeping axes': {
    shapes: (a, b) => [[a, b]],
    build: (x) => ops.reduceMean(x, { axes: [-1], keepDims: true }),
  },
  reduceMax: { shapes: (a, b) => [[a, b]], build: (x) => ops.reduceMax(x, { axes: [-1] }) },
  reshape: {
    shapes: (a, b, c) => [[a, b, c]],
    build: (x) => ops.reshape(x, [x.shape[0], productOf(x.shape.slice(1))]),
  },
  transpose: { shapes: (a, b, c) => [[a, b, c]], build: (x) => ops.transpose(x, [2, 0, 1]) },
  concat: {
    shapes: (a, b, c) => [
      [a, c],
      [b, c],
    ],
    build: (x, y) => ops.concat([x, y], { axis: 0 }),
  },
  split: {
    shapes: (a, b, c) => [[a + b, c]],
    build: (x) => {
      const size = x.shape[0] as number;
      const [first, rest] = ops.split(x, { axis: 0, sizes: [1, size - 1] });
      return ops.mul(first, ops.reduceSum(rest, { axes: [0], keepDims: true }));
    },
  },
  'split of which one part is used': {
    shapes: (a, b, c) => [[a + b, c]],
    build: (x) => ops.split(x, { axis: 0, sizes: [1, (x.shape[0] as number) - 1] })[1],
  },
  expandTo: {
    shapes: (a, b) => [
      [a, 1],
      [a, b],
    ],
    build: (x, like) => ops.mul(ops.expandTo(x, like), like),
  },
  matmul: {
    shapes: (a, b, c) => [
      [a, b],
      [b, c],
    ],
    build: (x, y) => ops.matmul(x, y),
  },
  'matmul with transposed operands': {
    shapes: (a, b, c) => [
      [b, a],
      [c, b],
    ],
    build: (x, y) => ops.matmul(x, y, { transposeA: true, transposeB: true, alpha: 0.7 }),
  },
  'matmul with the first transposed, batched': {
    shapes: (a, b, c) => [
      [2, b, a],
      [2, b, c],
    ],
    build: (x, y) => ops.matmul(x, y, { transposeA: true, alpha: 1.3 }),
  },
  'matmul with the second transposed, batched': {
    shapes: (a, b, c) => [
      [2, 2, a, b],
      [2, 2, c, b],
    ],
    build: (x, y) => ops.matmul(x, y, { transposeB: true }),
  },
  linear: { shapes: (a, b, c) => [[a, b], [c, b], [c]], build: ops.linear },
  'linear without bias': {
    shapes: (a, b, c) => [
      [a, b],
      [c, b],
    ],
    build: (x, w) => ops.linear(x, w),
  },
  softmax: { shapes: (a, b) => [[a, b + 1]], build: ops.softmax },
  logSoftmax: { shapes: (a, b) => [[a, b + 1]], build: ops.logSoftmax },
  layerNorm: {
    shapes: (a, b, c) => [[a, b, c + 3], [c + 3], [c + 3]],
    build: (x, scale, shift) => ops.layerNorm(x, scale, shift, { epsilon: 0.1 }),
  },
  rmsNorm: {
    shapes: (a, b, c) => [[a, b, c + 3], [c + 3]],
    build: (x, scale) => ops.rmsNorm(x, scale, { epsilon: 0.1 }),
  },
  geluTanh: { shapes: (a, b) => [[a, b]], build: ops.geluTanh },
  attention: {
    shapes: (a, b, c) => [
      [a, 2, b, c],
      [a, 2, b, c],
      [a, 2, b, c],
      [a, 1, 1, b],
    ],
    build: (query, key, value, bias) =>
      ops.attention({ query, key, value, bias: stop(bias) }, { scale: 0.5 }),
  },
  'attention with a bias that is learned': {
    shapes: (a, b, c) => [
      [a, 2, b, c],
      [a, 2, b + 1, c],
      [a, 2, b + 1, c],
      [1, 2, b, b + 1],
    ],
    build: (query, key, value, bias) => ops.attention({ query, key, value, bias }, { scale: 0.5 }),
  },
  'attention with dropout': {
    shapes: (a, b, c) => [
      [a, 2, b, c],
      [a, 2, b, c],
      [a, 2, b, c],
      [a, 1, 1, b],
      [a, 2, b, b],
    ],
    build: (query, key, value, bias, dropout) =>
      ops.attention({ query, key, value, bias: stop(bias), dropout: stop(dropout) }, { scale: 0.5 }),
  },
  bestProducts: {
    shapes: (a, b, c) => [[a, b, c]],
    build: (states) => {
      const [texts, tokens, size] = states.shape as number[];
      const random = Random.from(5, 'table');
      const table = Float32Array.from({ length: 7 * size }, () => random.normal());
      const bias = Float32Array.from({ length: texts * tokens }, (_, i) => (i % tokens > 2 ? -1e9 : 0));
      return ops.bestProducts(
        states,
        states.graph.constant({ shape: [7, size], data: table }),
        states.graph.constant({ shape: [texts, tokens], data: bias }),
      );
    },
  },
  where: {
    shapes: (a, b) => [[a, b], [a, b], [b]],
    build: (c, x, y) => ops.where(ops.equal(ops.sign(c), 1), x, y),
    domain: awayFromZero,
  },
};

// Masks are data, not something to learn: sign() stops their gradient.
function stop(x: Value): Value {
  return ops.sign(x);
}

/** A loss that weighs every output element differently, so that no error cancels out. */
function weighted(output: Value, weights: Value): Value {
  return ops.reduceSum(ops.mul(output, weights));
}

async function checkGradient(testCase: Case, sizes: [number, number, number], seed: number): Promise<void> {
  const random = Random.from(seed, 'gradient check');
  const graph = new Graph();
  const feeds: Record<string, DenseTensor> = {};
  const draw = (shape: number[], domain = (x: number): number => x): DenseTensor => ({
    shape,
    data: Float32Array.from({ length: sizeOf(shape) }, () => domain(random.normal())),
  });
  const inputs = testCase.shapes(...sizes).map((shape, i) => {
    feeds[`x${i}`] = draw(shape, testCase.domain);
    return graph.input(`x${i}`, shape);
  });
  const output = testCase.build(...inputs);
  feeds.weights = draw(output.shape as number[]);
  const loss = weighted(output, graph.input('weights', output.shape));
  const { dense } = differentiateLoss(loss, inputs);
  const gradients = Object.fromEntries([...dense].map(([value, gradient]) => [`d_${value.name}`, gradient]));
  const session = await Session.create(emitOnnx(graph, { outputs: { output, ...gradients } }), {
    threads: 1,
  });
  const weights = feeds.weights.data as Float32Array;

  // The loss is summed up here in float64: a float32 sum would drown the differences.
  const lossAt = async (): Promise<number> => {
    const { output: y } = await session.run(feeds, { outputs: ['output'] });
    return (y.data as Float32Array).reduce((sum, value, i) => sum + value * weights[i], 0);
  };
  const results = await session.run(feeds);
  for (const [value] of dense) {
    const data = feeds[value.name].data as Float32Array;
    const gradient = results[`d_${value.name}`];
    expect(gradient.shape).toEqual(feeds[value.name].shape);
    for (let i = 0; i < data.length; i++) {
      const kept = data[i];
      const step = 1e-2;
      data[i] = kept + step;
      const [high, above] = [data[i], await lossAt()];
      data[i] = kept - step;
      const [low, below] = [data[i], await lossAt()];
      data[i] = kept;
      const numeric = (above - below) / (high - low);
      const analytic = Number(gradient.data[i]);
      const tolerance = 5e-3 * Math.max(1, Math.abs(numeric), Math.abs(analytic));
      if (!(Math.abs(numeric - analytic) <= tolerance)) {
        throw new Error(`d loss / d ${value.name}[${i}]: ${analytic}, finite differences say ${numeric}`);
      }
    }
  }
  await session.release();
}

describe('gradients equal finite differences', () => {
  for (const [name, testCase] of Object.entries(cases)) {
    test(name, async () => {
      const size = fc.integer({ min: 1, max: 4 });
      await fc.assert(
        fc.asyncProperty(size, size, size, fc.integer(), (a, b, c, seed) =>
          checkGradient(testCase, [a, b, c], seed),
        ),
        { numRuns: 8, seed: 7 },
      );
    });
  }

  test('every differentiable op has a case', () => {
    const covered = new Set(Object.keys(cases).map((name) => name.split(' ')[0]));
    const exempt = new Set([
      'equal',
      'sign',
      'toFloat',
      'sumTo',
      'embedding',
      'permuteRows',
      'selectRows',
      'first',
      'rowsUpTo',
      'topK',
    ]);
    expect(Object.keys(ops).filter((name) => !covered.has(name) && !exempt.has(name))).toEqual([]);
  });

  test('a wrong gradient is noticed', async () => {
    const wrongOp: Op = {
      name: 'wrong',
      infer: ([x]) => [{ shape: x.shape, dtype: x.dtype }],
      emit: ({ inputs, outputs }, onnx) =>
        onnx.node({ type: 'Exp', inputs: [inputs[0].name], outputs: [outputs[0].name] }),
      gradient: ({ outputs: [y] }, [g]) => [ops.mul(ops.mul(g!, y), 1.02)],
    };
    const wrong: Case = { ...cases.exp, build: (x) => x.graph.apply(wrongOp, [x], {})[0] };
    await expect(checkGradient(wrong, [2, 2, 2], 1)).rejects.toThrow('finite differences say');
  });

  test('permuteRows', async () => {
    const graph = new Graph();
    const x = graph.input('x', ['rows', 2]);
    const [order, inverse] = ['order', 'inverse'].map((name) => graph.input(name, ['rows'], 'int32'));
    const weights = graph.input('weights', ['rows', 2]);
    const { dense } = differentiateLoss(weighted(ops.permuteRows(x, order, inverse), weights), [x]);
    const session = await Session.create(emitOnnx(graph, { outputs: { gradient: dense.get(x)! } }));
    const { gradient } = await session.run({
      x: { shape: [3, 2], data: new Float32Array(6) },
      order: { shape: [3], data: Int32Array.of(2, 0, 1) },
      inverse: { shape: [3], data: Int32Array.of(1, 2, 0) },
      weights: { shape: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
    });
    expect([...gradient.data]).toEqual([3, 4, 5, 6, 1, 2]);
  });

  test('selectRows: each row at most once, zeros for none', async () => {
    const graph = new Graph();
    const x = graph.input('x', ['rows', 2]);
    const index = graph.input('index', ['selected'], 'int32');
    const inverse = graph.input('inverse', ['rows'], 'int32');
    const weights = graph.input('weights', ['selected', 2]);
    const y = ops.selectRows(x, index, inverse);
    const { dense } = differentiateLoss(weighted(y, weights), [x]);
    const session = await Session.create(emitOnnx(graph, { outputs: { y, gradient: dense.get(x)! } }));
    const found = await session.run({
      x: { shape: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) },
      index: { shape: [4], data: Int32Array.of(2, 3, 0, 3) },
      inverse: { shape: [3], data: Int32Array.of(2, 4, 0) },
      weights: { shape: [4, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8) },
    });
    expect([...found.y.data]).toEqual([5, 6, 0, 0, 1, 2, 0, 0]);
    expect([...found.gradient.data]).toEqual([5, 6, 0, 0, 1, 2]);
  });

  test('bestProducts hands out the rows of its table that have a gradient, and no others', async () => {
    const graph = new Graph();
    const table = graph.parameter('table', [5, 2]);
    const states = graph.input('states', ['texts', 'tokens', 2]);
    const bias = graph.input('bias', ['texts', 'tokens']);
    const best = ops.relu(ops.bestProducts(states, table, bias));
    const { dense, sparse } = differentiateLoss(weighted(best, graph.input('weights', ['texts', 5])), [
      table,
    ]);
    expect(dense.size).toBe(0);
    const [{ ids, rows }] = sparse;
    const session = await Session.create(emitOnnx(graph, { outputs: { best, ids, rows } }), { threads: 1 });
    const feeds = {
      table: { shape: [5, 2], data: Float32Array.of(1, 0, 0, 1, -1, -1, 2, 1, -3, 1) },
      states: { shape: [2, 3, 2], data: Float32Array.of(1, 2, 3, 1, 9, 9, -1, -1, 0, -2, 4, 0) },
      bias: { shape: [2, 3], data: Float32Array.of(0, 0, -1e9, 0, 0, 0) },
      weights: { shape: [2, 5], data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) },
    };
    const found = await session.run(feeds);
    expect([...found.best.data]).toEqual([3, 2, 0, 7, 0, 4, 0, 2, 8, 2]);
    const summed = new Float32Array(10);
    Array.from(found.ids.data as Int32Array).forEach((id, i) => {
      for (let j = 0; j < 2; j++) summed[id * 2 + j] += Number(found.rows.data[i * 2 + j]);
    });
    // weight · the state of the token that was best, of all texts: e.g. row 0 gets 1·(3, 1) + 6·(4, 0); of equals the first.
    expect([...summed]).toEqual([27, 1, 2, 4, -8, -8, 48, 4, -10, -10]);
    // As many for each text as the text with most has.
    expect(found.ids.data.length).toBe(2 * 4);
  });

  test('embedding hands out the rows it was asked for', async () => {
    const graph = new Graph();
    const table = graph.parameter('table', [4, 2]);
    const ids = graph.input('ids', ['count'], 'int32');
    const rows = ops.embedding(table, ids);
    const { dense, sparse } = differentiateLoss(ops.reduceSum(ops.mul(rows, rows)), [table]);
    expect(dense.size).toBe(0);
    expect(sparse).toMatchObject([{ table, ids }]);
    const session = await Session.create(emitOnnx(graph, { outputs: { rows: sparse[0].rows } }));
    const result = await session.run({
      table: { shape: [4, 2], data: Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7) },
      ids: { shape: [3], data: Int32Array.of(3, 0, 3) },
    });
    expect([...result.rows.data]).toEqual([12, 14, 0, 2, 12, 14]);
  });
});
