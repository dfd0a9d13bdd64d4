import { NearmissError } from '../../base/errors.js';
import type { RankedList } from './rule.js';

/** The best score of a known positive: as the source says, or else as it stands in the list; −∞ where it does not. */
export function bestPositiveScore(list: RankedList, positives: Int32Array, rule: string): number {
  const { ids, scores, positiveScore } = list;
  if (scores.some(Number.isNaN)) {
    throw new NearmissError(`${rule}: query ${list.query}: its ranking has no scores to compare`, {
      hint: 'leave the margin out, or mine from a source with scores: bm25, a model or a TREC run',
    });
  }
  if (positiveScore !== undefined) return positiveScore;
  const known = new Set(positives);
  const best = ids.findIndex((id) => known.has(id));
  return best < 0 ? Number.NEGATIVE_INFINITY : scores[best];
}
