import { mean } from '../../base/numbers/mean.js';
import { inRankOrder, type Ranking } from '../../evaluate/run.js';

/** How the scores of a list are made comparable with those of the others. */
export type Normalization = 'none' | 'minmax' | 'zscore';

/** `linear`: weighted sum of the scores; `rrf`: weighted sum of 1 / (k + rank). */
export type FusionMethod = 'linear' | 'rrf';

export interface FusionMethodOptions {
  method?: FusionMethod;
  /** For `linear`. Default `none`. */
  normalization?: Normalization;
  /** For `rrf`. Default 60. */
  k?: number;
}

/** One query's candidates: what each list says of each of them. Fusing is a weighted sum of the columns. */
export interface Candidates {
  ids: string[];
  /** One column a list, one value a candidate. */
  columns: Float64Array[];
}

/** Cormack, Clarke and Büttcher 2009. */
export const RRF_K = 60;

/**
 * Puts the lists of one query side by side. A candidate that a list lacks gets that list's minimum (Ma et al. 2021);
 * by ranks it gets nothing. A list that is missing or empty says nothing about any.
 */
export function gatherCandidates(
  lists: readonly (Ranking | undefined)[],
  options: FusionMethodOptions = {},
): Candidates {
  const places = new Map<string, number>();
  for (const list of lists) {
    for (const id of list?.ids ?? []) if (!places.has(id)) places.set(id, places.size);
  }
  const columns = lists.map((list) => {
    const column = new Float64Array(places.size);
    if (!list || list.ids.length === 0) return column;
    const { ids, values, fill } = contributions(list, options);
    column.fill(fill);
    ids.forEach((id, i) => {
      column[places.get(id)!] = values[i];
    });
    return column;
  });
  return { ids: [...places.keys()], columns };
}

function contributions(
  list: Ranking,
  { method = 'linear', normalization = 'none', k = RRF_K }: FusionMethodOptions,
): { ids: readonly string[]; values: Float64Array; fill: number } {
  if (method === 'rrf') {
    const { ids, scores } = inRankOrder(list);
    return { ids, values: scores.map((_, i) => 1 / (k + i + 1)), fill: 0 };
  }
  const values = normalizeScores(list.scores, normalization);
  return { ids: list.ids, values, fill: values.reduce((least, value) => Math.min(least, value)) };
}

/** `minmax` maps to [0, 1], `zscore` to mean 0 and deviation 1; where all scores are equal, both give 0. */
export function normalizeScores(scores: Float64Array, normalization: Normalization): Float64Array {
  if (normalization === 'none' || scores.length === 0) return scores;
  const [origin, unit] = normalization === 'minmax' ? range(scores) : moments(scores);
  return scores.map((score) => (unit === 0 ? 0 : (score - origin) / unit));
}

function range(scores: Float64Array): [origin: number, unit: number] {
  const least = scores.reduce((a, b) => Math.min(a, b));
  return [least, scores.reduce((a, b) => Math.max(a, b)) - least];
}

function moments(scores: Float64Array): [origin: number, unit: number] {
  const middle = mean(scores);
  return [middle, Math.sqrt(mean(scores.map((score) => (score - middle) ** 2)))];
}
