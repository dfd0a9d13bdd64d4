import { NearmissError } from '../base/errors.js';
import type { Qrels } from '../data/dataset.js';
import type { AnswerRanks } from './answer-ranks.js';
import { compareBytes } from './byte-order.js';
import { JudgedRanking, type JudgmentPool } from './judged-ranking.js';
import type { Measure } from './measure.js';
import { parseMeasures } from './parse-measure.js';
import { type HitSelection, type Ranking, type Run, selectHits } from './run.js';

export interface EvaluateOptions extends HitSelection {
  /** The lowest grade that counts as relevant (trec_eval's `-l`). Default 1. */
  level?: number;
  /** Averages over all queries of the qrels; those missing from the run count as having found nothing (`-c`). */
  complete?: boolean;
  /** Leaves hits without a judgment out of every ranking first (`-J`). */
  judgedOnly?: boolean;
  /** Where each query's first answer was found, for `Coverage@k`; from `findAnswerRanks`. */
  answerRanks?: AnswerRanks;
}

/** The values of all measures. */
export interface Evaluation {
  readonly tag: string;
  readonly measures: readonly Measure[];
  /** The queries evaluated, in byte order. */
  readonly queries: readonly string[];
  /** One value for each measure, by its name: the mean over the queries (counts: the sum). */
  readonly mean: Readonly<Record<string, number>>;
  /** For each measure, by its name, one value for each of `queries`. */
  readonly perQuery: Readonly<Record<string, Float64Array>>;
  /** The same for measures that are texts (`relstring`). */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** How many judged queries the run has no hits for: left out, or with `complete` counted as having found nothing. */
  readonly missing: number;
}

const EMPTY: Ranking = { ids: [], scores: new Float64Array() };
const SMALLEST_IN_GEOMETRIC_MEAN = 0.00001;

/**
 * Compares a run with judgments. Hits are ordered by score, ties by id, exactly as trec_eval does; queries without
 * judgments are left out.
 *
 * @example
 * const { mean, perQuery, queries } = evaluate(run, qrels, ['nDCG@10', 'R@100'], { complete: true });
 * console.log(mean['nDCG@10'], perQuery['nDCG@10'][queries.indexOf('q7')]);
 */
export function evaluate(
  run: Run,
  qrels: Qrels,
  measures: readonly (string | Measure)[],
  options: EvaluateOptions = {},
): Evaluation {
  const wanted = measures.flatMap((measure) =>
    typeof measure === 'string' ? parseMeasures(measure) : measure,
  );
  checkNeeds(wanted, options);
  const queries = evaluatedQueries(run, qrels, options);
  const perQuery = Object.fromEntries(wanted.map(({ name }) => [name, new Float64Array(queries.length)]));
  const texts = Object.fromEntries(
    wanted.filter(({ text }) => text).map(({ name }) => [name, new Array<string>(queries.length)]),
  );
  const pool = lazyPool(qrels);
  queries.forEach((query, q) => {
    const ranking = judge(query, run, qrels, pool, options);
    for (const measure of wanted) {
      const seen = measure.judgedOnly ? ranking.judgedOnly() : ranking;
      if (measure.text) texts[measure.name][q] = measure.text(seen);
      else perQuery[measure.name][q] = measure.compute(seen, measure.level ?? options.level ?? 1);
    }
  });
  const mean = Object.fromEntries(
    wanted.map((measure) => [measure.name, summarize(measure, perQuery[measure.name])]),
  );
  const missing = [...qrels.keys()].filter((query) => !run.rankings.has(query)).length;
  return { tag: run.tag, measures: wanted, queries, mean, perQuery, texts, missing };
}

function judge(
  query: string,
  run: Run,
  qrels: Qrels,
  pool: JudgmentPool,
  options: EvaluateOptions,
): JudgedRanking {
  const ranking = selectHits(query, run.rankings.get(query) ?? EMPTY, options);
  const context = { pool, answerRank: options.answerRanks?.get(query) };
  const judged = JudgedRanking.from(ranking, qrels.get(query)!, context);
  return options.judgedOnly ? judged.judgedOnly() : judged;
}

function evaluatedQueries(run: Run, qrels: Qrels, options: EvaluateOptions): string[] {
  const common = [...run.rankings.keys()].filter((query) => qrels.has(query));
  if (common.length === 0) {
    const found = run.rankings.keys().next().value;
    const judged = qrels.keys().next().value;
    throw new NearmissError(
      `the run ${JSON.stringify(run.tag)} and the qrels have no query in common (run: ${run.rankings.size} queries such as ` +
        `${JSON.stringify(found)}, qrels: ${qrels.size} such as ${JSON.stringify(judged)})`,
      { hint: 'check that both are of the same collection and split' },
    );
  }
  return (options.complete ? [...qrels.keys()] : common).sort(compareBytes);
}

function checkNeeds(measures: readonly Measure[], options: EvaluateOptions): void {
  const needy = measures.find(({ needs }) => needs === 'answers');
  if (needy && !options.answerRanks) {
    throw new NearmissError(`${needy.name} needs the answers and the texts of a dataset`, {
      hint: 'give a dataset folder with --split in the place of the qrels file',
    });
  }
}

/** One number for all queries, as the measure says. */
function summarize(measure: Measure, values: Float64Array): number {
  if (values.length === 0) return 0;
  let sum = 0;
  if (measure.summary === 'geometric') {
    for (const value of values) sum += Math.log(Math.max(value, SMALLEST_IN_GEOMETRIC_MEAN));
    return Math.exp(sum / values.length);
  }
  for (const value of values) sum += value;
  return measure.summary === 'sum' ? sum : sum / values.length;
}

function lazyPool(qrels: Qrels): JudgmentPool {
  let judged: Set<string> | undefined;
  return {
    get judgedAnywhere(): Set<string> {
      judged ??= new Set([...qrels.values()].flatMap((judgments) => [...judgments.keys()]));
      return judged;
    },
  };
}
