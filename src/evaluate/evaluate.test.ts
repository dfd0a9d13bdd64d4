import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Qrels } from '../data/dataset.js';
import { evaluate } from './evaluate.js';
import { bruteForce } from './measures/brute-force.fixture.js';
import { parseMeasures } from './parse-measure.js';
import { makeRun, type Run } from './run.js';

const qrelsOf = (judgments: Record<string, Record<string, number>>): Qrels =>
  new Map(Object.entries(judgments).map(([query, grades]) => [query, new Map(Object.entries(grades))]));

const documents = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const hitsArbitrary = fc.shuffledSubarray(documents, { minLength: 1 });
const gradesArbitrary = fc.dictionary(fc.constantFrom(...documents), fc.integer({ min: -1, max: 4 }), {
  minKeys: 1,
  noNullPrototype: true,
});
const runOf = (hits: readonly string[]): Run =>
  makeRun('t', { q: hits.map((id, i): [string, number] => [id, -i]) });

describe('every measure', () => {
  test.each(Object.entries(bruteForce))('%s equals its definition', (name, expected) => {
    fc.assert(
      fc.property(hitsArbitrary, gradesArbitrary, fc.integer({ min: 1, max: 3 }), (hits, grades, level) => {
        const { mean } = evaluate(runOf(hits), qrelsOf({ q: grades }), [name], { level });
        const judgments = new Map(Object.entries(grades));
        expect(mean[name]).toBeCloseTo(expected({ hits, judgments, level }), 12);
      }),
      { numRuns: 200 },
    );
  });

  const shares = [
    ...Object.keys(bruteForce),
    ...parseMeasures('all_trec')
      .filter(({ integer, text, name }) => !integer && !text && name !== 'utility')
      .map(({ name }) => name),
  ].filter((name) => !name.includes('gains'));

  test.each(shares)('%s is between 0 and 1', (name) => {
    fc.assert(
      fc.property(hitsArbitrary, gradesArbitrary, (hits, grades) => {
        const value = evaluate(runOf(hits), qrelsOf({ q: grades }), [name]).mean[name];
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  const perfect = [
    'nDCG',
    'nDCG@3',
    'RR',
    'AP',
    'R@8',
    'Rprec',
    'bpref',
    'infAP',
    'ndcg_rel',
    'Rndcg',
    'G',
    'binG',
    '11pt_avg',
  ];
  test.each(perfect)('%s is 1 for the ideal ranking', (name) => {
    fc.assert(
      fc.property(gradesArbitrary, (grades) => {
        const judged = Object.entries(grades).filter(([, grade]) => grade >= 0);
        fc.pre(judged.some(([, grade]) => grade > 0));
        const ideal = judged.sort(([, x], [, y]) => y - x).map(([id]) => id);
        expect(evaluate(runOf(ideal), qrelsOf({ q: grades }), [name]).mean[name]).toBeCloseTo(1, 4);
      }),
    );
  });

  test('the order of hits and queries in the input changes nothing', () => {
    const scored = fc.uniqueArray(fc.tuple(fc.constantFrom(...documents), fc.integer({ min: 0, max: 3 })), {
      minLength: 1,
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(scored, scored, gradesArbitrary, (first, second, grades) => {
        const qrels = qrelsOf({ x: grades, y: { a: 1 } });
        const one = evaluate(makeRun('t', { x: first, y: second }), qrels, ['all_trec']);
        const two = evaluate(makeRun('t', { y: [...second].reverse(), x: [...first].reverse() }), qrels, [
          'all_trec',
        ]);
        expect(two.queries).toEqual(one.queries);
        expect(two.mean).toEqual(one.mean);
        expect(two.perQuery).toEqual(one.perQuery);
      }),
    );
  });
});

describe('which queries and hits count', () => {
  const run = makeRun('t', {
    q1: [
      ['a', 2],
      ['q1', 3],
      ['b', 1],
    ],
    extra: [['a', 1]],
  });
  const qrels = qrelsOf({ q1: { a: 1, b: 2 }, q2: { a: 1 } });

  test('queries without judgments are left out; missing ones count only when complete', () => {
    const common = evaluate(run, qrels, ['RR', 'num_rel']);
    expect(common.queries).toEqual(['q1']);
    expect(common.mean).toEqual({ RR: 0.5, num_rel: 2 });
    const complete = evaluate(run, qrels, ['RR', 'num_rel', 'gm_map'], { complete: true });
    expect(complete.queries).toEqual(['q1', 'q2']);
    expect(complete.mean.RR).toBe(0.25);
    expect(complete.mean.num_rel).toBe(3);
    expect(complete.mean.gm_map).toBeCloseTo(Math.sqrt(((1 / 2 + 2 / 3) / 2) * 0.00001), 12);
    expect([...complete.perQuery.RR]).toEqual([0.5, 0]);
  });

  test('a hit that is the query itself can be dropped, as BEIR does', () => {
    expect(evaluate(run, qrels, ['RR'], { dropIdentical: true }).mean.RR).toBe(1);
  });

  test('depth, level, and measures that fix their level', () => {
    expect(evaluate(run, qrels, ['R@10'], { depth: 2 }).mean['R@10']).toBe(0.5);
    const { mean } = evaluate(run, qrels, ['P@3', 'P(rel=1)@3'], { level: 2 });
    expect(mean).toEqual({ 'P@3': 1 / 3, 'P(rel=1)@3': 2 / 3 });
  });

  test('judged hits only', () => {
    expect(evaluate(run, qrels, ['P@2', 'num_ret'], { judgedOnly: true }).mean).toEqual({
      'P@2': 1,
      num_ret: 2,
    });
  });

  test("BEIR's hole: judged for no query at all", () => {
    const other = makeRun('t', {
      q1: [
        ['c', 3],
        ['z', 2],
        ['a', 1],
      ],
    });
    const judged = qrelsOf({ q1: { a: 1 }, q2: { c: 0 } });
    const { mean } = evaluate(other, judged, ['Hole@2', "Hole(scope='any')@2"]);
    expect(mean).toEqual({ 'Hole@2': 1, "Hole(scope='any')@2": 0.5 });
  });

  test('a document that comes twice is an error', () => {
    const twice = makeRun('t', {
      q1: [
        ['a', 2],
        ['a', 1],
      ],
    });
    expect(() => evaluate(twice, qrels, ['R@10'])).toThrow('document "a" is twice in one ranking');
  });

  test('nothing in common is an error that shows both sides', () => {
    expect(() => evaluate(makeRun('bm25', { '1': [['a', 1]] }), qrels, ['RR'])).toThrow(
      'the run "bm25" and the qrels have no query in common (run: 1 queries such as "1", qrels: 2 such as "q1")',
    );
  });

  test('Coverage without answers says what is missing', () => {
    expect(() => evaluate(run, qrels, ['Coverage@5'])).toThrow(/Coverage@5 needs the answers/);
    const { mean } = evaluate(run, qrels, ['Coverage@1', 'Coverage@3'], {
      answerRanks: new Map([['q1', 2]]),
    });
    expect(mean).toEqual({ 'Coverage@1': 0, 'Coverage@3': 1 });
  });
});

test('trec_eval counts F with beta not squared', () => {
  const run = runOf(['a', 'b']);
  const { mean } = evaluate(run, qrelsOf({ q: { a: 1, c: 1, d: 1, e: 1 } }), ['SetF(beta=2)', 'set_F']);
  expect(mean['SetF(beta=2)']).toBeCloseTo((3 * 0.5 * 0.25) / (2 * 0.5 + 0.25), 12);
  expect(mean.set_F).toBeCloseTo(1 / 3, 12);
});
