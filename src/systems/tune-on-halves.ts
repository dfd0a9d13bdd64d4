import type { Qrels } from '../data/index.js';
import { parseMeasure, type Ranking, type Run } from '../evaluate/index.js';
import { fuseRuns, tuneWeights } from '../search/fusion/index.js';

export interface TunedParts {
  /** Of all queries: what is kept. */
  weights: number[];
  /** What the fusion finds, each half of the queries with the weights of the other half. */
  run: Run;
}

/** How scores are fused; cosines and BM25's scores are weighed as they are. */
export const FUSION = { method: 'linear', normalization: 'none' } as const;

/**
 * Finds the weights with which several systems together find most. The figures of a fusion on the queries that its
 * weights were made for would be too good, so each half is measured with the weights of the other.
 */
export function tuneOnHalves(
  parts: readonly Run[],
  qrels: Qrels,
  { measure, depth }: { measure: string; depth: number },
): TunedParts {
  const parsed = parseMeasure(measure);
  const options = { ...FUSION, depth };
  const tune = (judged: Qrels): number[] =>
    tuneWeights(parts, judged, parsed, { ...options, evaluate: { complete: true } }).weights;
  const halves = [0, 1].map((half): Qrels => new Map([...qrels].filter((_, i) => i % 2 === half)));
  const rankings = new Map<string, Ranking>();
  halves.forEach((half, i) => {
    const weights = tune(halves[1 - i].size > 0 ? halves[1 - i] : half);
    const fused = fuseRuns(parts, { ...options, weights, tag: 'hybrid' });
    for (const query of half.keys()) {
      const ranking = fused.rankings.get(query);
      if (ranking) rankings.set(query, ranking);
    }
  });
  return { weights: tune(qrels), run: { tag: 'hybrid', rankings } };
}
