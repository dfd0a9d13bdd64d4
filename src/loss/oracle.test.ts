import { describe, expect, test } from 'vitest';
import {
  add,
  concat,
  div,
  matmul,
  mul,
  reduceMax,
  reduceSum,
  reshape,
  softmax,
  sub,
  transpose,
  type Value,
} from '../engine/index.js';
import {
  infoNce,
  kl,
  lambda,
  marginMse,
  marginMseInBatch,
  nll,
  rankNet,
  type TeacherInputs,
} from './index.js';
import { OracleGraph, oracleLosses, tensorOf } from './oracle.fixture.js';

/** How each loss of the oracle is computed here: a line each. */
const LOSSES: Record<string, (oracle: OracleGraph) => Value> = {
  marginMse: (oracle) =>
    marginMse.build({ ...oracle.inputs(oracle.value('student')), teacher: teacherOf(oracle) }),
  klTeacherFirst: (oracle) =>
    kl().build({ ...oracle.inputs(oracle.value('student')), teacher: teacherOf(oracle) }),
  klStudentFirst: (oracle) => studentFirst(oracle),
  rocketQaV2: (oracle) => add(studentFirst(oracle), nll.build(oracle.inputs(oracle.value('teacher')))),
  tasBInBatch: (oracle) => {
    const positives = oracle.documents('positives').flat();
    const firstNegatives = oracle.documents('own').map(([first]) => first);
    const negatives = positives.map((own) => [
      ...positives.filter((positive) => positive !== own),
      ...firstNegatives,
    ]);
    const inputs = oracle.inputs(oracle.value('student'), { negatives });
    return marginMseInBatch.build({ ...inputs, teacher: teacherOf(oracle) });
  },
  lambdaMrr: (oracle) => lambdaOf(oracle, 'rr'),
  lambdaNdcg: (oracle) => lambdaOf(oracle, 'ndcg'),
  star: (oracle) => {
    const scores = oracle.value('student');
    const positives = oracle.documents('positives').flat();
    const others = positives.map((own) => positives.filter((positive) => positive !== own));
    const inBatch = rankNet({ against: 'positives' }).build(oracle.inputs(scores, { negatives: others }));
    return add(mul(inBatch, oracle.number('alpha')), rankNet().build(oracle.inputs(scores)));
  },
  maxSimInBatch: (oracle) => infoNce.build(oracle.inBatch(maxSim(oracle))),
  meBertInBatch: (oracle) => infoNce.build(oracle.inBatch(bestOfSeveral(oracle))),
  polyEncoderInBatch: (oracle) => infoNce.build(oracle.inBatch(polyEncoder(oracle))),
  moco: (oracle) => {
    const scores = div(queueScores(oracle), oracle.number('temperature'));
    const [queries, documents] = scores.shape as number[];
    const rows = Array.from({ length: queries });
    return infoNce.build(
      oracle.inputs(scores, {
        positives: rows.map(() => [0]),
        negatives: rows.map(() => Array.from({ length: documents - 1 }, (_, i) => i + 1)),
      }),
    );
  },
};

describe('losses equal PyTorch in float64 (oracles/tricks)', () => {
  const known = oracleLosses.filter(({ name }) => name in LOSSES);
  test.each(known)('$name', async ({ name, oracle }) => {
    const graph = new OracleGraph(oracle);
    const { loss, gradients } = await graph.run(LOSSES[name](graph));
    expectClose([loss], [oracle.loss], 'loss');
    expect(Object.keys(oracle.gradients)).not.toEqual([]);
    for (const [input, expected] of Object.entries(oracle.gradients)) {
      expectClose(gradients[input], tensorOf(expected).data, `gradient of ${input}`);
    }
  });

  test('every line above has its oracle', () => {
    expect(known.map(({ name }) => name).sort()).toEqual(Object.keys(LOSSES).sort());
  });
});

function studentFirst(oracle: OracleGraph): Value {
  const inputs = oracle.inputs(oracle.value('student'));
  return kl({ direction: 'student-first' }).build({ ...inputs, teacher: teacherOf(oracle) });
}

function lambdaOf(oracle: OracleGraph, measure: 'rr' | 'ndcg'): Value {
  const [scores, gains] = [oracle.value('scores'), oracle.value('gains')];
  const lists = { scores, gains, present: add(mul(gains, 0), 1), ideal: oracle.idealRanks('gains') };
  return lambda({ measure, cut: oracle.number('cut') }).build({
    scores,
    positive: gains,
    negative: gains,
    lists,
  });
}

/** A teacher who knows every pair. */
function teacherOf(oracle: OracleGraph): TeacherInputs {
  const scores = oracle.value('teacher');
  return { scores, known: add(mul(scores, 0), 1) };
}

/** Within a few roundings of float32, of the largest number. */
function expectClose(got: ArrayLike<number>, expected: ArrayLike<number>, what: string): void {
  expect(got.length, what).toBe(expected.length);
  const tolerance = 1e-6 * Math.max(1, ...Array.from(expected, Math.abs));
  Array.from(expected).forEach((value, i) => {
    expect(Math.abs(got[i] - value), `${what}[${i}]: expected ${value}, got ${got[i]}`).toBeLessThan(
      tolerance,
    );
  });
}

/** Σ over a query's tokens of the best product with a document's tokens. */
function maxSim(oracle: OracleGraph): Value {
  const [queries, documents] = [oracle.value('queries'), oracle.value('documents')];
  const [q, queryTokens] = queries.shape as number[];
  const [d, documentTokens, size] = documents.shape as number[];
  const products = matmul(
    reshape(queries, [q * queryTokens, size]),
    reshape(documents, [d * documentTokens, size]),
    {
      transposeB: true,
    },
  );
  const padding = mul(sub(oracle.value('documentMask'), 1), 1e9);
  const masked = add(
    reshape(products, [q, queryTokens, d, documentTokens]),
    reshape(padding, [1, 1, d, documentTokens]),
  );
  const best = reduceMax(masked, { axes: [3] });
  return reduceSum(mul(best, reshape(oracle.value('queryMask'), [q, queryTokens, 1])), { axes: [1] });
}

/** The best product of a query with one of a document's vectors. */
function bestOfSeveral(oracle: OracleGraph): Value {
  const [queries, documents] = [oracle.value('queries'), oracle.value('documents')];
  const [q] = queries.shape as number[];
  const [d, vectors, size] = documents.shape as number[];
  const products = matmul(queries, reshape(documents, [d * vectors, size]), { transposeB: true });
  return reduceMax(reshape(products, [q, d, vectors]), { axes: [2] });
}

/** Codes attend over a context's tokens, a candidate over what they found. */
function polyEncoder(oracle: OracleGraph): Value {
  const [codes, context, candidates] = ['codes', 'context', 'candidates'].map((name) => oracle.value(name));
  const [m, size] = codes.shape as number[];
  const [q, tokens] = context.shape as number[];
  const [d] = candidates.shape as number[];
  const logits = matmul(codes, reshape(context, [q * tokens, size]), { transposeB: true });
  const padding = mul(sub(oracle.value('mask'), 1), 1e9);
  const attended = add(
    transpose(reshape(logits, [m, q, tokens]), [1, 0, 2]),
    reshape(padding, [q, 1, tokens]),
  );
  const found = matmul(softmax(attended), context);
  const byCandidate = matmul(candidates, reshape(found, [q * m, size]), { transposeB: true });
  const products = transpose(reshape(byCandidate, [d, q, m]), [1, 0, 2]);
  return reduceSum(mul(softmax(products), products), { axes: [2] });
}

/** Each query with its own key, then with every key of the queue. */
function queueScores(oracle: OracleGraph): Value {
  const queries = oracle.value('queries');
  const own = reduceSum(mul(queries, oracle.value('keys')), { axes: [1], keepDims: true });
  return concat([own, matmul(queries, oracle.value('queue'), { transposeB: true })], { axis: 1 });
}
