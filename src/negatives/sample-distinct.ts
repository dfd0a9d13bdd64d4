import type { Random } from '../engine/random.js';

/**
 * `count` different whole numbers below `limit` (all of them where there are no more), each selection and order
 * equally likely. A shuffle that stops early and keeps only the places it has touched, so that `limit` costs nothing.
 */
export function sampleDistinct(random: Random, limit: number, count: number): number[] {
  const moved = new Map<number, number>();
  return Array.from({ length: Math.min(count, limit) }, (_, i) => {
    const j = i + random.integer(limit - i);
    const drawn = moved.get(j) ?? j;
    moved.set(j, moved.get(i) ?? i);
    return drawn;
  });
}
