import { type DrawnNegatives, TOP } from './draw-negatives.js';
import type { RankedSample } from './rank-sample.js';

/** How many of a source's negatives are among those the model confuses most. */
export interface SourceOverlap {
  source: string;
  /** Steps between the model that mined them and the model under analysis, for ANN tables. */
  age?: number;
  /** Negatives looked at. */
  negatives: number;
  /** For each of the analysis's cutoffs the share of them that is in the true top. */
  shares: number[];
}

export interface NegativesOverlap {
  queries: number;
  /** How deep the true top goes: the paper's 100, and as deep as the run samples where that differs. */
  cutoffs: number[];
  /** What drawing anywhere in the collection would give. */
  chance: number[];
  sources: SourceOverlap[];
}

export interface OverlapOptions {
  drawn: readonly DrawnNegatives[];
  ranked: readonly RankedSample[];
  /** How deep the run samples ANN negatives. */
  depth: number;
  documents: number;
}

/** The share of each source's negatives in the exact top of the current model (§6.3 of the ANCE paper). */
export function negativesOverlap({ drawn, ranked, depth, documents }: OverlapOptions): NegativesOverlap {
  const cutoffs = [...new Set([TOP, depth])].sort((a, b) => a - b);
  const tops = cutoffs.map((cutoff) =>
    ranked.map(({ topNegatives }) => new Set(topNegatives.subarray(0, cutoff))),
  );
  return {
    queries: ranked.length,
    cutoffs,
    chance: cutoffs.map((cutoff) => Math.min(1, cutoff / (documents - 1))),
    sources: drawn.map(({ source, age, documents: perQuery }) => {
      const negatives = perQuery.reduce((sum, list) => sum + list.length, 0);
      const shares = tops.map((top) => {
        const inside = perQuery.reduce(
          (sum, list, query) => sum + list.filter((id) => top[query].has(id)).length,
          0,
        );
        return inside / negatives;
      });
      return { source, ...(age !== undefined && { age }), negatives, shares };
    }),
  };
}
