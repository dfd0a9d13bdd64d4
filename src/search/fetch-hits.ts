import { fetchEnough } from './fetch-enough.js';
import type { AllowedDocuments } from './filter/filtered-documents.js';
import { compareHits } from './hits.js';

/** A document found, by its number in the index that found it. */
export interface NumberedHit {
  number: number;
  id: string;
  score: number;
}

/** One query's best documents by number, best first; fewer than were asked for where there are no more. */
export interface Candidates {
  ids: ArrayLike<number>;
  scores: ArrayLike<number>;
}

export interface FetchHitsOptions {
  /** How many queries there are. */
  queries: number;
  k: number;
  /** Documents in the index. */
  total: number;
  allowed?: AllowedDocuments;
  idOf(number: number): string;
  /** Finds the best n for some of the queries. */
  fetch(queries: readonly number[], n: number): Promise<Candidates[]>;
  signal?: AbortSignal;
}

/**
 * The best k allowed documents of each query. Where a filter lets only some through, more candidates are fetched, as
 * many as its share makes likely to be enough, then twice as many until they are or nothing is left: exact with an
 * exact index.
 */
export async function fetchHits(options: FetchHitsOptions): Promise<NumberedHit[][]> {
  const { queries, k, total, allowed } = options;
  const results: NumberedHit[][] = Array.from({ length: queries }, () => []);
  if (total === 0 || allowed?.count === 0) return results;
  const enough = Math.min(k, allowed?.count ?? k);
  await fetchEnough({
    queries,
    n: allowed ? Math.ceil((1.5 * k * total) / allowed.count) : k,
    most: total,
    fetch: options.fetch,
    signal: options.signal,
    take: (query, found, n) => {
      const hits = allowedHits(found, options);
      results[query] = hits.sort(compareHits);
      return hits.length >= enough || found.ids.length < n;
    },
  });
  return results;
}

function allowedHits({ ids, scores }: Candidates, { k, allowed, idOf }: FetchHitsOptions): NumberedHit[] {
  const hits: NumberedHit[] = [];
  for (let i = 0; i < ids.length && hits.length < k; i++) {
    const id = idOf(ids[i]);
    if (!allowed || allowed.has(id)) hits.push({ number: ids[i], id, score: scores[i] });
  }
  return hits;
}
