import { NearmissError } from '../../base/errors.js';
import { inRankOrder, type Ranking, type Run } from '../../evaluate/run.js';
import { type Candidates, type FusionMethodOptions, gatherCandidates } from './columns.js';

export interface FuseOptions extends FusionMethodOptions {
  /** One weight a list. Default: 1 each. */
  weights?: readonly number[];
  /** How many hits the fused list keeps. Default 1000. */
  depth?: number;
}

const DEFAULT_DEPTH = 1000;

/**
 * Fuses runs of the same queries into one, e.g. the hybrid s_dense + α s_BM25.
 *
 * @example
 * const hybrid = fuseRuns([dense, bm25], { weights: [1, 0.1] });
 * const rrf = fuseRuns([dense, bm25], { method: 'rrf' });
 */
export function fuseRuns(runs: readonly Run[], options: FuseOptions & { tag?: string } = {}): Run {
  const queries = new Set(runs.flatMap(({ rankings }) => [...rankings.keys()]));
  const rankings = new Map<string, Ranking>();
  for (const query of queries) {
    const lists = runs.map((run) => run.rankings.get(query));
    rankings.set(query, fuseRankings(lists, options));
  }
  return { tag: options.tag ?? runs.map(({ tag }) => tag).join('+'), rankings };
}

/** Fuses the lists of one query; best hits first. A list may be missing. */
export function fuseRankings(lists: readonly (Ranking | undefined)[], options: FuseOptions = {}): Ranking {
  const weights = options.weights ?? lists.map(() => 1);
  checkWeights(weights, lists.length);
  return combine(gatherCandidates(lists, options), weights, options.depth);
}

/** The weighted sum of the columns, best first. */
export function combine(candidates: Candidates, weights: readonly number[], depth = DEFAULT_DEPTH): Ranking {
  const scores = new Float64Array(candidates.ids.length);
  candidates.columns.forEach((column, list) => {
    const weight = weights[list];
    // A list without weight must not turn an infinite score into NaN.
    if (weight === 0) return;
    for (let i = 0; i < scores.length; i++) scores[i] += weight * column[i];
  });
  const fused = inRankOrder({ ids: candidates.ids, scores });
  return { ids: fused.ids.slice(0, depth), scores: fused.scores.slice(0, depth) };
}

function checkWeights(weights: readonly number[], lists: number): void {
  if (weights.length !== lists) {
    throw new NearmissError(`expected ${lists} weights, one for each list, got ${weights.length}`);
  }
  const wrong = weights.find((weight) => !(weight >= 0 && Number.isFinite(weight)));
  if (wrong !== undefined) throw new NearmissError(`expected weights from 0, got ${wrong}`);
}
