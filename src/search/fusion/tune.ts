import type { Qrels } from '../../data/dataset.js';
import { type EvaluateOptions, evaluate } from '../../evaluate/evaluate.js';
import type { Measure } from '../../evaluate/measure.js';
import type { Ranking, Run } from '../../evaluate/run.js';
import { type Candidates, type FusionMethodOptions, gatherCandidates } from './columns.js';
import { combine } from './fuse.js';

export interface TuneOptions extends FusionMethodOptions {
  evaluate?: EvaluateOptions;
  /** How many hits the fused list keeps. */
  depth?: number;
  /** Called after each point of the grid. */
  onPoint?: (point: TunedWeights) => void;
}

export interface TunedWeights {
  weights: number[];
  /** The measure's mean with these weights. */
  value: number;
}

/** 0, then 2^-10 … 2^10 in half octaves: scores of different systems may differ in scale by that much. */
const GRID = [0, ...Array.from({ length: 41 }, (_, i) => 2 ** ((i - 20) / 2))];
const MAX_ROUNDS = 4;

/**
 * Finds weights that make a measure largest, on development queries. With two runs the whole grid of their ratio is
 * tried; with more, one weight after the other until none improves. Of equally good weights the first found stays,
 * and equal weights are tried first.
 *
 * @example
 * const { weights } = tuneWeights([dense, bm25], devQrels, parseMeasure('nDCG@10'));
 */
export function tuneWeights(
  runs: readonly Run[],
  qrels: Qrels,
  measure: Measure,
  options: TuneOptions = {},
): TunedWeights {
  const prepared = prepare(runs, qrels, options);
  const tried = new Map<string, number>();
  let best: TunedWeights = { weights: [], value: Number.NEGATIVE_INFINITY };
  const attempt = (weights: number[]): void => {
    const key = weights.join(' ');
    if (tried.has(key) || weights.every((weight) => weight === 0)) return;
    const rankings = new Map<string, Ranking>();
    for (const [query, candidates] of prepared) {
      rankings.set(query, combine(candidates, weights, options.depth));
    }
    const value = evaluate({ tag: 'fused', rankings }, qrels, [measure], options.evaluate).mean[measure.name];
    tried.set(key, value);
    const point = { weights, value };
    if (value > best.value) best = point;
    options.onPoint?.(point);
  };
  attempt(runs.map(() => 1));
  // A single system must never beat the tuned fusion of it with others.
  runs.forEach((_, alone) => {
    attempt(runs.map((_, i) => (i === alone ? 1 : 0)));
  });
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = best.value;
    for (let changed = 1; changed < runs.length; changed++) {
      const start = best.weights[0] === 0 ? runs.map(() => 1) : best.weights;
      for (const weight of GRID) attempt(start.map((kept, i) => (i === changed ? weight : kept)));
    }
    if (best.value === before) break;
  }
  return best;
}

function prepare(runs: readonly Run[], qrels: Qrels, options: TuneOptions): Map<string, Candidates> {
  const prepared = new Map<string, Candidates>();
  for (const query of qrels.keys()) {
    const lists = runs.map(({ rankings }) => rankings.get(query));
    if (lists.some((list) => list !== undefined)) prepared.set(query, gatherCandidates(lists, options));
  }
  return prepared;
}
