import type { Query } from '../../data/index.js';
import { Random } from '../../engine/index.js';
import { evaluationSet, type TrainingData } from '../../run/training-data.js';
import { readQuery } from '../texts.js';

/** A query with everything that any split knows to answer it. */
export interface JudgedQuery extends Query {
  /** Its number in the run. */
  number: number;
  /** The splits that judge it. */
  splits: string[];
  /** Numbers of documents. */
  positives: Set<number>;
}

/** Looks a query up in a run's collection. */
export async function judgedQuery(
  { dataset, queries, documents }: TrainingData,
  id: string,
): Promise<JudgedQuery> {
  const query = await readQuery(dataset, id);
  const splits: string[] = [];
  const positives = new Set<number>();
  for (const split of await dataset.splits()) {
    const judgments = (await dataset.qrels(split)).get(id);
    if (!judgments) continue;
    splits.push(split);
    for (const [document, grade] of judgments) {
      const number = documents.cache.indexOf(document);
      if (grade > 0 && number >= 0) positives.add(number);
    }
  }
  return { ...query, number: queries.cache.indexOf(id), splits, positives };
}

/** Some queries of a split, the same ones for the same seed: to have something to look at. */
export async function suggestQueries(
  data: TrainingData,
  options: { split: string; count: number; seed: number },
): Promise<string[]> {
  const { split, count, seed } = options;
  const { queries } = await evaluationSet(data, { split, limit: 0, seed });
  const order = Random.from(seed, 'space', 'queries').shuffle([...queries]);
  return order.slice(0, count).map((number) => data.queries.cache.id(number));
}
