import { NearmissError } from '../../base/errors.js';
import type { TrainingExample } from '../../data/dataset.js';
import type { RankedList } from '../rules/rule.js';
import { type CollectionIds, numberOf } from './from-run.js';

/** What training examples say, by query. */
export interface GatheredExamples {
  lists: RankedList[];
  /** For each training query the documents the examples call positive. */
  positives: Int32Array[];
}

/**
 * Gathers the negatives of training examples, those of the same query (triples) together. Their order in the file is
 * their ranking; queries that are not to be trained on are passed over.
 *
 * @example
 * const { lists, positives } = await gatherExamples(dataset.examples('train'), { queries, documents });
 */
export async function gatherExamples(
  examples: AsyncIterable<TrainingExample> | Iterable<TrainingExample>,
  { queries, documents }: CollectionIds,
): Promise<GatheredExamples> {
  const negatives = new Map<number, Map<number, number>>();
  const positives = Array.from({ length: queries.size }, () => new Set<number>());
  for await (const example of examples) {
    const query = queries.indexOf(example.queryId);
    if (query < 0) continue;
    const where = `examples, query ${example.queryId}`;
    const scored = negatives.get(query) ?? new Map<number, number>();
    negatives.set(query, scored);
    for (const { id, score = Number.NaN } of example.negatives) {
      const document = numberOf(id, documents, where);
      if (!scored.has(document)) scored.set(document, score);
    }
    for (const { id } of example.positives) positives[query].add(numberOf(id, documents, where));
  }
  if (negatives.size === 0) {
    throw new NearmissError('examples: none of their queries is to be trained on', {
      hint: 'do the queries of the file have the ids of the collection?',
    });
  }
  const lists = [...negatives].map(([query, scored]) => ({
    query,
    ids: Int32Array.from(scored.keys()),
    scores: Float32Array.from(scored.values()),
  }));
  return { lists, positives: positives.map((set) => Int32Array.from(set)) };
}
