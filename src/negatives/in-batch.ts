import type { PositivesOf } from './sampler.js';

/**
 * Negatives that cost nothing because the batch encodes them anyway. Unlike a NegativeSource these draw nothing:
 * they say which of the batch's documents count, `batch` all that are not known to be relevant, `hardest` the best
 * scored of those.
 */
export interface BatchSource {
  readonly name: 'in-batch' | 'hardest-in-batch';
  readonly select: 'batch' | 'hardest';
}

/** Every other document of the batch, sampled negatives of other queries included (DPR). */
export const inBatch: BatchSource = { name: 'in-batch', select: 'batch' };

/** The queries and documents of a batch, each once, by number. */
export interface BatchMembers {
  queries: ArrayLike<number>;
  documents: ArrayLike<number>;
  positives: PositivesOf;
}

/**
 * For each query of a batch the places of the documents known to be relevant to it, which must not count as
 * negatives: they may be another query's positive, or drawn as another query's negative.
 */
export function knownInBatch({ queries, documents, positives }: BatchMembers): number[][] {
  const placeOf = new Map(Array.from(documents, (document, place) => [document, place]));
  return Array.from(queries, (query) => {
    const places = Array.from(positives(query), (document) => placeOf.get(document) ?? -1);
    return places.filter((place) => place >= 0).sort((a, b) => a - b);
  });
}

/** For each query of a batch the places of its in-batch negatives, ascending. */
export function inBatchNegatives(batch: BatchMembers): number[][] {
  return knownInBatch(batch).map((known) => {
    const relevant = new Set(known);
    return Array.from(batch.documents, (_, place) => place).filter((place) => !relevant.has(place));
  });
}
