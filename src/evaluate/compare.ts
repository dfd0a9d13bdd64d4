import { NearmissError, UsageError } from '../base/errors.js';
import type { Qrels } from '../data/dataset.js';
import { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.js';
import type { Measure } from './measure.js';
import { type Overlap, rankBiasedOverlap, sharedHits } from './overlap.js';
import { parseMeasures } from './parse-measure.js';
import { type Run, selectHits } from './run.js';
import { type Correction, correct } from './significance/correction.js';
import { pairedTTest } from './significance/paired-t-test.js';
import {
  DEFAULT_PERMUTATIONS,
  type RandomizationOptions,
  randomizationTest,
} from './significance/randomization-test.js';

/** `t`: Student's paired t-test; `fisher`: Fisher's randomisation test. */
export type SignificanceTest = 't' | 'fisher';

export interface CompareOptions extends EvaluateOptions, RandomizationOptions {
  /** Compares only with this system (by its place in the list), not every one with every other. */
  baseline?: number;
  /** The test whose corrected p-values decide what is significant; both are always computed. Default `t`. */
  test?: SignificanceTest;
  /** Over all pairs of one measure. Default `holm`. */
  correction?: Correction;
  /** Default 0.05. */
  alpha?: number;
  /** How many hits are compared for the overlap. Default 10. */
  overlapDepth?: number;
}

/** One system against another by one measure: `system` minus `reference`. */
export interface PairedResult {
  measure: string;
  system: number;
  reference: number;
  difference: number;
  t: number;
  /** p-values of both tests, corrected. */
  p: Record<SignificanceTest, number>;
  /** The same before the correction. */
  rawP: Record<SignificanceTest, number>;
  significant: boolean;
  /** Queries on which the system is better, equal, worse. */
  wins: number;
  ties: number;
  losses: number;
}

export interface Comparison {
  /** One evaluation a system, all over the same queries: those that it has no hits for count as 0. */
  evaluations: Evaluation[];
  queries: readonly string[];
  measures: readonly Measure[];
  pairs: PairedResult[];
  overlaps: ({ system: number; reference: number } & Overlap)[];
  options: Required<
    Pick<CompareOptions, 'test' | 'correction' | 'alpha' | 'overlapDepth' | 'permutations' | 'seed'>
  > & { baseline?: number };
}

const DEFAULTS = {
  test: 't',
  correction: 'holm',
  alpha: 0.05,
  overlapDepth: 10,
  permutations: DEFAULT_PERMUTATIONS,
  seed: 42,
} as const;

/**
 * Compares systems query by query. They are judged on the queries that any of them answered (all of the qrels with
 * `complete`); a system without hits for one of them has found nothing there.
 *
 * @example
 * const { pairs } = compareRuns([bm25, ance], qrels, ['nDCG@10'], { baseline: 0 });
 * pairs[0].significant;
 */
export function compareRuns(
  runs: readonly Run[],
  qrels: Qrels,
  measures: readonly (string | Measure)[],
  options: CompareOptions = {},
): Comparison {
  const settings = { ...DEFAULTS, ...withoutUndefined(options) };
  const wanted = measures
    .flatMap((measure) => (typeof measure === 'string' ? parseMeasures(measure) : measure))
    .filter(({ text, shown }) => !text && shown === undefined);
  if (wanted.length === 0) {
    throw new UsageError('none of these measures has a value for each query, as a comparison needs', {
      hint: 'use for example nDCG@10',
    });
  }
  const judged = options.complete ? qrels : answeredByAny(runs, qrels);
  const evaluations = runs.map((run) => evaluate(run, judged, wanted, { ...options, complete: true }));
  const { queries } = evaluations[0];
  const couples = couplesOf(runs.length, options.baseline);
  return {
    evaluations,
    queries,
    measures: wanted,
    pairs: wanted.flatMap(({ name }) => comparePairs(name, evaluations, couples, settings)),
    overlaps: couples.map(([system, reference]) => ({
      system,
      reference,
      ...meanOverlap(runs[system], runs[reference], queries, { ...options, depth: settings.overlapDepth }),
    })),
    options: settings,
  };
}

/** A query on which two systems differ. */
export interface QueryDifference {
  query: string;
  system: number;
  reference: number;
  difference: number;
}

/** The queries on which one system gains most over another (`count` of them), and those on which it loses most. */
export function largestDifferences(
  system: Float64Array,
  reference: Float64Array,
  queries: readonly string[],
  count: number,
): { gains: QueryDifference[]; losses: QueryDifference[] } {
  const all = queries.map((query, q) => ({
    query,
    system: system[q],
    reference: reference[q],
    difference: system[q] - reference[q],
  }));
  all.sort((a, b) => b.difference - a.difference);
  return {
    gains: all.slice(0, count).filter(({ difference }) => difference > 0),
    losses: all
      .slice(-count)
      .filter(({ difference }) => difference < 0)
      .reverse(),
  };
}

function comparePairs(
  measure: string,
  evaluations: readonly Evaluation[],
  couples: readonly (readonly [number, number])[],
  settings: Comparison['options'],
): PairedResult[] {
  const tested = couples.map(([system, reference]) => {
    const a = evaluations[system].perQuery[measure];
    const b = evaluations[reference].perQuery[measure];
    const { t, p } = pairedTTest(a, b);
    const difference = evaluations[system].mean[measure] - evaluations[reference].mean[measure];
    const rawP = { t: p, fisher: randomizationTest(a, b, settings) };
    return { measure, system, reference, difference, t, rawP, ...countWins(a, b) };
  });
  const corrected = (test: SignificanceTest): number[] =>
    correct(
      tested.map(({ rawP }) => rawP[test]),
      settings.correction,
    );
  const t = corrected('t');
  const fisher = corrected('fisher');
  return tested.map((pair, i) => {
    const p = { t: t[i], fisher: fisher[i] };
    return { ...pair, p, significant: p[settings.test] < settings.alpha };
  });
}

function countWins(a: Float64Array, b: Float64Array): { wins: number; ties: number; losses: number } {
  const wins = a.filter((value, i) => value > b[i]).length;
  const losses = a.filter((value, i) => value < b[i]).length;
  return { wins, ties: a.length - wins - losses, losses };
}

function meanOverlap(
  a: Run,
  b: Run,
  queries: readonly string[],
  selection: EvaluateOptions & { depth: number },
): Overlap {
  let shared = 0;
  let rbo = 0;
  const hits = (run: Run, query: string, depth?: number): readonly string[] => {
    const ranking = run.rankings.get(query);
    return ranking ? selectHits(query, ranking, { dropIdentical: selection.dropIdentical, depth }).ids : [];
  };
  for (const query of queries) {
    const [first, second] = [hits(a, query), hits(b, query)];
    shared += sharedHits(first, second, selection.depth);
    rbo += rankBiasedOverlap(first, second);
  }
  return { shared: shared / queries.length, rbo: rbo / queries.length };
}

/** Later systems against earlier ones, or all against the baseline. */
function couplesOf(count: number, baseline: number | undefined): [system: number, reference: number][] {
  const systems = [...Array(count).keys()];
  if (baseline !== undefined) {
    return systems.filter((system) => system !== baseline).map((system) => [system, baseline]);
  }
  return systems.flatMap((reference) =>
    systems.slice(reference + 1).map((system): [number, number] => [system, reference]),
  );
}

function answeredByAny(runs: readonly Run[], qrels: Qrels): Qrels {
  const answered: Qrels = new Map();
  for (const [query, judgments] of qrels) {
    if (runs.some(({ rankings }) => rankings.has(query))) answered.set(query, judgments);
  }
  if (answered.size > 0) return answered;
  throw new NearmissError('none of the runs has a query in common with the qrels', {
    hint: 'check that they are of the same collection and split',
  });
}

function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}
