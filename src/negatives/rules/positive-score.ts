import { NearmissError } from '../../base/errors.js';
import type { RankedList } from './rule.js';

/**
 * The best score of a known positive. One that is not in the list scores below everything in it, for which −∞ does
 * as well as its true score.
 */
export function bestPositiveScore(list: RankedList, positives: Int32Array, rule: string): number {
  const { query, ids, scores } = list;
  if (scores.some(Number.isNaN)) {
    throw new NearmissError(`${rule}: query ${query}: its ranking has no scores to compare`, {
      hint: 'leave the margin out, or mine from a source with scores: bm25, a model or a TREC run',
    });
  }
  const known = new Set(positives);
  const best = ids.findIndex((id) => known.has(id));
  return best < 0 ? Number.NEGATIVE_INFINITY : scores[best];
}
