import { NearmissError } from '../../base/errors.js';
import type { TrainingExample } from '../../data/dataset.js';
import { type CollectionIds, documentNumber, Positives } from '../positives.js';
import type { RankedList } from '../rules/rule.js';

/** What training examples say of the training queries. */
export interface GatheredExamples {
  lists: RankedList[];
  /** What the examples call positive. */
  positives: Positives;
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
  const positives = new Positives();
  for await (const example of examples) {
    const query = queries.indexOf(example.queryId);
    if (query < 0) continue;
    const numberOf = ({ id }: { id: string }): number =>
      documentNumber(id, documents, `examples of query ${JSON.stringify(example.queryId)}`);
    const scores = negatives.get(query) ?? new Map<number, number>();
    negatives.set(query, scores);
    for (const negative of example.negatives) {
      const document = numberOf(negative);
      if (!scores.has(document)) scores.set(document, negative.score ?? Number.NaN);
    }
    positives.add(query, example.positives.map(numberOf));
  }
  if (negatives.size === 0) {
    throw new NearmissError('examples: none of their queries is to be trained on', {
      hint: 'do the queries of the file have the ids of the collection?',
    });
  }
  const lists = [...negatives].map(([query, scores]) => ({
    query,
    ids: Int32Array.from(scores.keys()),
    scores: Float32Array.from(scores.values()),
  }));
  return { lists, positives };
}
