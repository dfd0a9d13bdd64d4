import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { oracleFile } from '../../test/oracles.fixture.js';
import { readQrels } from '../data/qrels.js';
import { type EvaluateOptions, evaluate } from './evaluate.js';
import { parseMeasureList } from './parse-measure.js';
import { readRun } from './read-run.js';
import { formatTrec, inTrecOrder } from './trec-format.js';

interface Variant {
  expected: string;
  run: string;
  qrels: string;
  measures: string[];
  perQuery?: boolean;
  options?: EvaluateOptions;
}

// The command lines are those of trec_eval's own `make quicktest`.
const variants: Variant[] = [
  { expected: 'out.test', run: 'results.test', qrels: 'qrels.test', measures: ['official'] },
  { expected: 'out.test.a', run: 'results.test', qrels: 'qrels.test', measures: ['all_trec'] },
  {
    expected: 'out.test.aq',
    run: 'results.test',
    qrels: 'qrels.test',
    measures: ['all_trec'],
    perQuery: true,
  },
  {
    expected: 'out.test.aqc',
    run: 'results.trunc',
    qrels: 'qrels.test',
    measures: ['all_trec'],
    perQuery: true,
    options: { complete: true },
  },
  {
    expected: 'out.test.aqcM',
    run: 'results.trunc',
    qrels: 'qrels.test',
    measures: ['all_trec'],
    perQuery: true,
    options: { complete: true, depth: 100 },
  },
  {
    expected: 'out.test.aql',
    run: 'results.test',
    qrels: 'qrels.rel_level',
    measures: ['all_trec', 'relstring.20'],
    perQuery: true,
    options: { level: 2 },
  },
];

describe('every digit that trec_eval prints', () => {
  test.each(variants)('$expected', async ({ expected, run, qrels, measures, perQuery, options }) => {
    const evaluation = evaluate(
      await readRun(oracleFile('trec_eval', run)),
      await readQrels(oracleFile('trec_eval', qrels)),
      inTrecOrder(parseMeasureList(measures)),
      options,
    );
    const printed = [...formatTrec(evaluation, { perQuery })].join('');
    const lines = (await readFile(oracleFile('trec_eval', expected), 'utf8')).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(25);
    expect(printed.trimEnd().split('\n')).toEqual(lines);
  });
});

describe('TREC DL 2019 passages, Anserini BM25', () => {
  test('the published figures', async () => {
    const run = await readRun(oracleFile('dl19', 'run.bm25-default.txt'));
    const qrels = await readQrels(oracleFile('dl19', 'qrels.txt'));
    const { mean } = evaluate(run, qrels, ['nDCG@10', 'AP(rel=2)', 'R(rel=2)@100', 'R(rel=2)@1000'], {
      complete: true,
    });
    const rounded = Object.fromEntries(Object.entries(mean).map(([name, value]) => [name, value.toFixed(4)]));
    expect(rounded).toEqual({
      'nDCG@10': '0.5058',
      'AP(rel=2)': '0.3013',
      'R(rel=2)@100': '0.4910',
      'R(rel=2)@1000': '0.7501',
    });
  });
});
