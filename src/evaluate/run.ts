import { NearmissError } from '../base/errors.js';
import { compareBytes } from './byte-order.js';

/** What a system found for one query: document ids and their scores, one beside the other, in any order. */
export interface Ranking {
  readonly ids: readonly string[];
  /** Higher is better. */
  readonly scores: Float64Array;
}

/** What a system found for every query. */
export interface Run {
  /** The system's name, the last column of a TREC run. */
  readonly tag: string;
  readonly rankings: ReadonlyMap<string, Ranking>;
}

/**
 * Makes a run from plain values.
 *
 * @example
 * const run = makeRun('bm25', { q1: [['d7', 12.5], ['d2', 9.1]] });
 */
export function makeRun(
  tag: string,
  hits: Readonly<Record<string, readonly (readonly [id: string, score: number])[]>>,
): Run {
  const rankings = new Map<string, Ranking>();
  for (const [query, list] of Object.entries(hits)) {
    rankings.set(query, {
      ids: list.map(([id]) => id),
      scores: Float64Array.from(list, ([, score]) => score),
    });
  }
  return { tag, rankings };
}

/**
 * Orders hits as trec_eval does: by score, best first; equal scores by document id, *descending*, compared as bytes.
 * The same ranking comes back when it is in that order already.
 */
export function inRankOrder(ranking: Ranking): Ranking {
  const { ids, scores } = ranking;
  if (isInRankOrder(ranking)) return ranking;
  const order = Uint32Array.from(ids, (_, i) => i);
  order.sort((a, b) => scores[b] - scores[a] || compareBytes(ids[b], ids[a]));
  return { ids: Array.from(order, (i) => ids[i]), scores: Float64Array.from(order, (i) => scores[i]) };
}

/** Which hits of a ranking count. */
export interface HitSelection {
  /** Only the best ones, this many for each query (trec_eval's `-M`). */
  depth?: number;
  /** Drops hits whose id equals the query's, as BEIR does for ArguAna and Quora. */
  dropIdentical?: boolean;
}

/** The hits of a query that count, in rank order. */
export function selectHits(query: string, ranking: Ranking, selection: HitSelection): Ranking {
  const { depth = Number.POSITIVE_INFINITY, dropIdentical } = selection;
  const { ids, scores } = inRankOrder(ranking);
  const self = dropIdentical ? ids.indexOf(query) : -1;
  if (self < 0 && ids.length <= depth) return { ids, scores };
  return {
    ids: ids.filter((_, i) => i !== self).slice(0, depth),
    scores: scores.filter((_, i) => i !== self).slice(0, depth),
  };
}

function isInRankOrder({ ids, scores }: Ranking): boolean {
  let ordered = true;
  for (let i = 0; i < scores.length; i++) {
    if (Number.isNaN(scores[i])) throw notANumber(ids[i]);
    if (i === 0) continue;
    if (scores[i] > scores[i - 1]) ordered = false;
    else if (scores[i] === scores[i - 1] && compareBytes(ids[i], ids[i - 1]) > 0) ordered = false;
  }
  return ordered;
}

function notANumber(id: string): NearmissError {
  return new NearmissError(`document ${JSON.stringify(id)}: expected a number as its score, got NaN`, {
    hint: 'a NaN cannot be ranked: the model that made it has most likely diverged',
  });
}
