/** How much two rankings of the same query have in common. */
export interface Overlap {
  /** The share of the first hits that both have, in whatever order. */
  shared: number;
  /** Rank-biased overlap: 1 for the same ranking, 0 for nothing in common; the top counts most. */
  rbo: number;
}

const RBO_PERSISTENCE = 0.9;

/** The share of the first `depth` ids that two rankings have in common; 1 where both are empty. */
export function sharedHits(a: readonly string[], b: readonly string[], depth: number): number {
  const first = new Set(a.slice(0, depth));
  const second = b.slice(0, depth);
  const longer = Math.max(first.size, second.length);
  return longer === 0 ? 1 : second.filter((id) => first.has(id)).length / longer;
}

/**
 * Rank-biased overlap, extrapolated beyond the end of the lists (Webber, Moffat and Zobel 2010, eq. 32); the lists
 * may differ in length.
 */
export function rankBiasedOverlap(
  a: readonly string[],
  b: readonly string[],
  persistence = RBO_PERSISTENCE,
): number {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const s = short.length;
  const l = long.length;
  if (l === 0) return 1;
  if (s === 0) return 0;
  const seenShort = new Set<string>();
  const seenLong = new Set<string>();
  let common = 0;
  let commonAtShort = 0;
  let weight = 1;
  let sum = 0;
  for (let d = 1; d <= l; d++) {
    weight *= persistence;
    const fromLong = long[d - 1];
    const fromShort = short[d - 1];
    if (d <= s) {
      if (fromLong === fromShort) common++;
      else common += Number(seenShort.has(fromLong)) + Number(seenLong.has(fromShort));
      seenShort.add(fromShort);
      commonAtShort = common;
    } else common += Number(seenShort.has(fromLong));
    seenLong.add(fromLong);
    sum += (common / d) * weight;
    if (d > s) sum += ((commonAtShort * (d - s)) / (s * d)) * weight;
  }
  return (
    ((1 - persistence) / persistence) * sum + ((common - commonAtShort) / l + commonAtShort / s) * weight
  );
}
