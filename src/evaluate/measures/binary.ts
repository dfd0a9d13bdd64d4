import { countWithin } from '../judged-ranking.js';
import type { Compute } from '../measure.js';

// Measures in which a document is relevant or not. R is the number of relevant documents.

/** P@k: the share of relevant documents among k; places left empty count as not relevant. */
export function precision(k: number): Compute {
  return (ranking, level) => countWithin(ranking.relevant(level).ranks, k) / k;
}

/** R@k: the share of the relevant documents that are among the first k. */
export function recall(k: number): Compute {
  return (ranking, level) => {
    const { ranks, total } = ranking.relevant(level);
    return total === 0 ? 0 : countWithin(ranks, k) / total;
  };
}

/** P@k over the best P@k possible: precision up to R, recall after it. */
export function relativePrecision(k: number): Compute {
  return (ranking, level) => {
    const { ranks, total } = ranking.relevant(level);
    return total === 0 ? 0 : countWithin(ranks, k) / Math.min(k, total);
  };
}

/** 1 where a relevant document is among the first k. */
export function success(k: number): Compute {
  return (ranking, level) => (ranking.relevant(level).ranks[0] <= k ? 1 : 0);
}

/** RR@k: one over the rank of the first relevant document, 0 where there is none among k. */
export function reciprocalRank(k = Number.POSITIVE_INFINITY): Compute {
  return (ranking, level) => {
    const [first] = ranking.relevant(level).ranks;
    return first <= k ? 1 / first : 0;
  };
}

/** AP@k: precision at the rank of each relevant document, 0 for those not found among k, averaged over R. */
export function averagePrecision(k = Number.POSITIVE_INFINITY): Compute {
  return (ranking, level) => {
    const { ranks, total } = ranking.relevant(level);
    let sum = 0;
    for (let i = 0; i < ranks.length && ranks[i] <= k; i++) sum += (i + 1) / ranks[i];
    return total === 0 ? 0 : sum / total;
  };
}

/** Precision at rank R. */
export const rPrecision: Compute = (ranking, level) => {
  const { ranks, total } = ranking.relevant(level);
  return total === 0 ? 0 : countWithin(ranks, total) / total;
};

/** Precision at a multiple of R, the rank being rounded as trec_eval does. */
export function rPrecisionMultiple(multiple: number): Compute {
  return (ranking, level) => {
    const { ranks, total } = ranking.relevant(level);
    const depth = Math.floor(multiple * total + 0.9);
    return depth === 0 ? 0 : countWithin(ranks, depth) / depth;
  };
}

/** Precision at a point of recall, interpolated: the best precision at that recall or any higher one. */
export function interpolatedPrecision(recallPoint: number): Compute {
  return (ranking, level) => {
    const { ranks, total } = ranking.relevant(level);
    const needed = Math.max(1, Math.round(recallPoint * total));
    let best = 0;
    for (let found = needed; found <= ranks.length; found++) best = Math.max(best, found / ranks[found - 1]);
    return best;
  };
}

/** Interpolated precision averaged over points of recall. */
export function interpolatedAverage(points: readonly number[]): Compute {
  const parts = points.map(interpolatedPrecision);
  return (ranking, level) => parts.reduce((sum, part) => sum + part(ranking, level), 0) / points.length;
}

/**
 * The share of the judged non-relevant documents ranked below each relevant one (Buckley and Voorhees 2004); no
 * assumption about documents without a judgment.
 */
export const bpref: Compute = (ranking, level) => {
  const { total } = ranking.relevant(level);
  const bound = Math.min(ranking.ideal.length - total, total);
  let nonRelevant = 0;
  let sum = 0;
  for (const grade of ranking.grades) {
    if (grade < 0) continue;
    if (grade < level) nonRelevant++;
    else sum += nonRelevant === 0 ? 1 : 1 - Math.min(nonRelevant, total) / bound;
  }
  return total === 0 ? 0 : sum / total;
};

const INFERRED_SMOOTHING = 0.00001;

/** Average precision inferred from a pool of which only a sample was judged (Yilmaz and Aslam 2006). */
export const inferredAp: Compute = (ranking, level) => {
  const { ranks, grades } = ranking;
  const { total } = ranking.relevant(level);
  let relevant = 0;
  let nonRelevant = 0;
  let unjudged = 0;
  let sum = 0;
  for (let i = 0; i < ranks.length; i++) {
    if (grades[i] < 0) unjudged++;
    else if (grades[i] < level) nonRelevant++;
    else {
      const above = ranks[i] - 1;
      const inPool = above === 0 ? 0 : (relevant + nonRelevant + unjudged) / above;
      const precisionAbove =
        (relevant + INFERRED_SMOOTHING) / (relevant + nonRelevant + 2 * INFERRED_SMOOTHING);
      sum += 1 / ranks[i] + (above / ranks[i]) * inPool * precisionAbove;
      relevant++;
    }
  }
  return total === 0 ? 0 : sum / total;
};

/** The mean over the relevant documents of 1 / log2(2 + non-relevant documents before it). */
export const binaryG: Compute = (ranking, level) => {
  const { ranks, total } = ranking.relevant(level);
  let sum = 0;
  for (let i = 0; i < ranks.length; i++) sum += 1 / Math.log2(1 + ranks[i] - i);
  return total === 0 ? 0 : sum / total;
};
