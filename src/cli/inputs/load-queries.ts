import { NearmissError } from '../../base/errors.js';
import type { Dataset, Query } from '../../data/dataset.js';

/** All queries of a collection or of one of its splits; none at all is an error. */
export async function loadQueries(dataset: Dataset, split: string | undefined): Promise<Query[]> {
  const queries: Query[] = [];
  for await (const query of dataset.queries(split)) queries.push(query);
  if (queries.length > 0) return queries;
  throw new NearmissError(`${dataset.name}: no queries${split === undefined ? '' : ` in split "${split}"`}`, {
    hint: `splits: ${(await dataset.splits()).join(', ') || 'none'}`,
  });
}
