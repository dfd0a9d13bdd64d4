import type { RankedList } from '../../negatives/index.js';

/**
 * Joins what several retrievers found for each query: the best of each in turn, every document once. Scores of different
 * retrievers do not compare, so there are none.
 */
export function inTurn(ranked: readonly Iterable<RankedList>[]): RankedList[] {
  if (ranked.length === 1) return [...ranked[0]];
  const found = new Map<number, RankedList[]>();
  for (const lists of ranked) {
    for (const list of lists) found.set(list.query, [...(found.get(list.query) ?? []), list]);
  }
  return [...found].map(([query, lists]) => {
    const ids = new Set<number>();
    const longest = Math.max(...lists.map((list) => list.ids.length));
    for (let place = 0; place < longest; place++) {
      for (const list of lists) if (place < list.ids.length) ids.add(list.ids[place]);
    }
    return {
      query,
      ids: Int32Array.from(ids),
      scores: new Float32Array(ids.size).fill(Number.NaN),
    };
  });
}
