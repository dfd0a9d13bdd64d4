import { mean } from '../../base/numbers/mean.js';
import type { JudgedRanking } from '../judged-ranking.js';
import type { Compute } from '../measure.js';

// Measures in which a document brings a gain that depends on its grade. They do not use the relevance level, except
// where trec_eval does.

/** What a document of a grade is worth. */
export type Gain = (grade: number) => number;

/** trec_eval's: the grade itself. */
export const linearGain: Gain = (grade) => grade;

/** Burges et al. 2005: 2^grade − 1. */
export const exponentialGain: Gain = (grade) => 2 ** grade - 1;

/** Grades that are not in the table keep their own value as gain, as in trec_eval. */
export function tableGain(table: ReadonlyMap<number, number>): Gain {
  return (grade) => table.get(grade) ?? grade;
}

/** nDCG@k (Järvelin and Kekäläinen 2002): gain over log2(rank + 1), summed and divided by the best sum possible. */
export function ndcg(k = Number.POSITIVE_INFINITY, gain: Gain = linearGain): Compute {
  return (ranking) => {
    const ideal = idealDcg(idealGains(ranking, gain), k);
    return ideal === 0 ? 0 : dcg(ranking, gain, k) / ideal;
  };
}

/** nDCG at the rank of each document with a gain, 0 < gain, averaged over all of them (trec_eval's `ndcg_rel`). */
export const ndcgAtRelevant: Compute = (ranking) => {
  const gains = idealGains(ranking, linearGain);
  if (gains.length === 0) return 0;
  let sum = 0;
  let total = 0;
  let found = 0;
  for (let i = 0; i < ranking.ranks.length; i++) {
    if (ranking.grades[i] <= 0) continue;
    found++;
    total += ranking.grades[i] / discount(ranking.ranks[i]);
    sum += total / idealDcg(gains, ranking.ranks[i]);
  }
  return (sum + ((gains.length - found) * total) / idealDcg(gains)) / gains.length;
};

/** nDCG at each rank where the ideal ranking passes to a lower gain, and at the end, averaged (trec_eval's `Rndcg`). */
export const ndcgAtLevels: Compute = (ranking, level) => {
  const gains = idealGains(ranking, linearGain);
  if (gains.length === 0 || ranking.relevant(level).total === 0) return 0;
  const depths: number[] = [];
  for (let i = 1; i <= gains.length; i++) if (gains[i] !== gains[i - 1]) depths.push(i);
  if (gains.length + 1 < ranking.retrieved) depths.push(ranking.retrieved);
  return mean(depths.map((depth) => dcg(ranking, linearGain, depth) / idealDcg(gains, depth)));
};

/**
 * trec_eval's `G`: like nDCG, but a document is discounted by the gain that was missed before it rather than by its
 * rank.
 */
export const normalizedG: Compute = (ranking) => {
  const gains = idealGains(ranking, linearGain);
  if (gains.length === 0) return 0;
  let sum = 0;
  let gained = 0;
  let spent = 0;
  let rank = 0;
  for (let i = 0; i < ranking.ranks.length; i++) {
    if (ranking.grades[i] <= 0) continue;
    while (rank < ranking.ranks[i]) spent += Math.max(1, gains[rank++] ?? 0);
    gained += ranking.grades[i];
    sum += ranking.grades[i] / Math.log2(2 + spent - gained);
  }
  return sum / gains.reduce((total, value) => total + value, 0);
};

export interface RbpOptions {
  /** The probability that the user goes on to the next document. */
  persistence: number;
  cutoff?: number;
  /** Counts documents as relevant or not; otherwise a document's gain is its grade over the query's best grade. */
  binary?: boolean;
}

/** Rank-biased precision (Moffat and Zobel 2008). */
export function rankBiasedPrecision(options: RbpOptions): Compute {
  const { persistence, cutoff = Number.POSITIVE_INFINITY, binary = false } = options;
  return (ranking, level) => {
    const best = Math.max(1, ranking.ideal[0] ?? 0);
    let sum = 0;
    for (let i = 0; i < ranking.ranks.length && ranking.ranks[i] <= cutoff; i++) {
      const grade = Math.max(0, ranking.grades[i]);
      const gain = binary ? Number(grade >= level) : grade / best;
      sum += gain * persistence ** (ranking.ranks[i] - 1);
    }
    return (1 - persistence) * sum;
  };
}

/** What rank-biased precision could still gain from documents without a judgment, as trec_eval counts it. */
export function rbpResidual(persistence: number): Compute {
  return (ranking) => {
    let missing = 0;
    let weight = 1;
    let next = 0;
    for (let rank = 1; rank <= ranking.retrieved; rank++) {
      const listed = ranking.ranks[next] === rank;
      if (!listed || ranking.grades[next] < 0) missing += weight;
      if (listed) next++;
      weight *= persistence;
    }
    return missing === 0 ? 0 : weight + (1 - persistence) * missing;
  };
}

function dcg({ ranks, grades }: JudgedRanking, gain: Gain, k: number): number {
  let sum = 0;
  for (let i = 0; i < ranks.length && ranks[i] <= k; i++) {
    if (grades[i] >= 0) sum += gain(grades[i]) / discount(ranks[i]);
  }
  return sum;
}

function idealDcg(gains: Float64Array, k = Number.POSITIVE_INFINITY): number {
  let sum = 0;
  for (let i = 0; i < gains.length && i < k; i++) sum += gains[i] / discount(i + 1);
  return sum;
}

/** The gains above 0 of all judged documents, best first. */
function idealGains({ ideal }: JudgedRanking, gain: Gain): Float64Array {
  if (gain === linearGain) return ideal.subarray(0, ideal.indexOf(0) < 0 ? ideal.length : ideal.indexOf(0));
  return ideal
    .map(gain)
    .filter((value) => value > 0)
    .sort()
    .reverse();
}

function discount(rank: number): number {
  return Math.log2(rank + 1);
}
