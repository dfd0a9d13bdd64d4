import { Random } from '../engine/index.js';

/** The queries of a split that are measured on: at most `limit` of them (0 for all), the same ones for the same seed. */
export function evaluationQueries(
  ids: readonly string[],
  { split, limit, seed }: { split: string; limit: number; seed: number },
): readonly string[] {
  if (limit === 0 || ids.length <= limit) return ids;
  return Random.from(seed, 'evaluation', split)
    .shuffle([...ids])
    .slice(0, limit);
}
