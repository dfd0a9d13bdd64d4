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
  sub,
  type Value,
} from '../engine/index.js';
import type { EncoderConfig } from '../model/encoder/config.js';
import { representationOf } from '../model/representation/kinds.js';
import { saturated } from '../model/representation/vocabulary.js';
import { scorers } from '../model/scorer/kinds.js';
import { flops } from './flops.js';
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
import { weightedMse } from './weighted-mse.js';

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
  maxSimInBatch: (oracle) =>
    infoNce.build(
      oracle.inBatch(
        scored(oracle, 'max-sim', {
          queries: oracle.rows('queries', 'queries', 'queryMask'),
          documents: oracle.rows('documents', 'documents', 'documentMask'),
        }),
      ),
    ),
  meBertInBatch: (oracle) =>
    infoNce.build(
      oracle.inBatch(
        scored(oracle, 'max', {
          queries: oracle.rows('queries', 'queries'),
          documents: oracle.rows('documents', 'documents'),
        }),
      ),
    ),
  polyEncoderInBatch: (oracle) => infoNce.build(oracle.inBatch(polyEncoder(oracle))),
  deepCt: (oracle) => {
    const kept = oracle.value('kept');
    return weightedMse(oracle.value('predicted'), oracle.value('target'), div(kept, reduceSum(kept)));
  },
  spladeFlops: (oracle) => {
    const hidden = mul(sub(oracle.value('mask'), 1), 1e9);
    const [texts, tokens] = hidden.shape;
    const logits = add(oracle.value('logits'), reshape(hidden, [texts, tokens, 1]));
    return flops(saturated(reduceMax(logits, { axes: [1] })));
  },
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

/** The oracle's texts compared by one of our scorers. */
function scored(
  oracle: OracleGraph,
  scorer: string,
  { queries, documents }: Record<'queries' | 'documents', ReturnType<OracleGraph['rows']>>,
): Value {
  const made = scorers.get(scorer).create({});
  const most = { queries: queries.rows.mostRows, documents: documents.rows.mostRows };
  oracle.feed(made.feeds({ queries: queries.offsets, documents: documents.offsets }, most));
  const scores = made.build(oracle.graph, queries.rows, documents.rows, 1);
  return reshape(scores, [queries.offsets.length - 1, documents.offsets.length - 1]);
}

/** Codes attend over a context's tokens by our representation, a candidate over what they found by our scorer. */
function polyEncoder(oracle: OracleGraph): Value {
  const [codes, context] = ['codes', 'context'].map((name) => oracle.value(name));
  const [count, size] = codes.shape as number[];
  const [texts, length] = context.shape as number[];
  const representation = representationOf({ pooling: 'codes', poolingOptions: { codes: count } }, 'queries');
  if (!('count' in representation)) throw new Error('codes are built of states');
  const bias = mul(sub(oracle.value('mask'), 1), 1e9);
  const group = {
    states: context,
    ids: bias,
    bias,
    texts: texts as unknown as string,
    length: length as unknown as string,
    config: {} as EncoderConfig,
  };
  const found = representation.build(group, () => codes);
  const offsets = Array.from({ length: texts + 1 }, (_, text) => text * count);
  const rows = { value: reshape(found, [texts * count, size]), texts: 'queries', mostRows: count };
  return scored(oracle, 'poly', {
    queries: { rows, offsets },
    documents: oracle.rows('candidates', 'documents'),
  });
}

/** Each query with its own key, then with every key of the queue. */
function queueScores(oracle: OracleGraph): Value {
  const queries = oracle.value('queries');
  const own = reduceSum(mul(queries, oracle.value('keys')), { axes: [1], keepDims: true });
  return concat([own, matmul(queries, oracle.value('queue'), { transposeB: true })], { axis: 1 });
}
