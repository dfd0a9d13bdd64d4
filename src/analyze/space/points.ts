import { Random } from '../../engine/index.js';
import type { DocumentIndex } from '../../index/vectors/index.js';
import { sampleDistinct } from '../../negatives/sample-distinct.js';
import { type Bm25Collection, bm25Rankings } from '../corpus/bm25.js';
import type { PointKind } from './kinds.js';

/** A document near the query or far from it. */
export interface ChosenDocument {
  document: number;
  kind: Exclude<PointKind, 'query'>;
  /** From 1, in the lists that found it. */
  ranks: { ann?: number; bm25?: number };
}

export interface ChoosePointsOptions extends Bm25Collection {
  query: number;
  /** Its vector, by the model whose negatives are wanted. */
  vector: Float32Array;
  positives: ReadonlySet<number>;
  index: DocumentIndex;
  /** Negatives of each kind. */
  perKind: number;
  seed: number;
}

/**
 * Chooses what is shown around a query (ANCE, Fig. 1): all its positives, the documents that the model and BM25 rank
 * highest, and random ones. A document is chosen once.
 */
export async function choosePoints(options: ChoosePointsOptions): Promise<ChosenDocument[]> {
  const { data, query, positives, perKind, seed } = options;
  const depth = Math.min(perKind + positives.size, data.documents.count);
  const { ids } = await options.index.search(options.vector, { k: depth });
  const ann = Array.from(ids).filter((id) => id >= 0);
  const bm25 = Array.from((await bm25Rankings(options, [query], depth)).get(query)?.ids ?? []);
  const chosen = new Map<number, ChosenDocument>();
  const add = (kind: ChosenDocument['kind'], documents: Iterable<number>): void => {
    for (const document of documents) {
      if (!chosen.has(document)) chosen.set(document, { document, kind, ranks: {} });
    }
  };
  const negatives = (list: readonly number[]): number[] =>
    list.filter((document) => !positives.has(document)).slice(0, perKind);
  add('positive', positives);
  add('ann', negatives(ann));
  add('bm25', negatives(bm25));
  add('random', sampleDistinct(Random.from(seed, 'space', query), data.documents.count, perKind));
  for (const [name, list] of Object.entries({ ann, bm25 })) {
    list.forEach((document, i) => {
      const found = chosen.get(document);
      if (found) found.ranks[name as 'ann' | 'bm25'] = i + 1;
    });
  }
  return [...chosen.values()];
}
