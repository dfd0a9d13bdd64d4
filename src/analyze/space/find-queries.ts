import { openRunData } from '../../run/collection/open-run-data.js';
import { readRunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { NotThereError } from '../not-there.js';

export interface FindSpaceQueriesOptions {
  /** Default: the split that the recipe measures on. */
  split?: string;
  /** Words that must all stand in the query's text or id; case does not matter. */
  text?: string;
  limit: number;
}

/** Queries to pick from, of any split of a run's collection. */
export interface FoundQueries {
  split: string;
  splits: string[];
  queries: { id: string; text: string }[];
  /** Whether there are others. */
  more: boolean;
}

/** Finds queries of a run's collection by their words, in the collection's order. */
export async function findSpaceQueries(
  run: RunDirectory,
  options: FindSpaceQueriesOptions,
): Promise<FoundQueries> {
  const description = await readRunDescription(run);
  const { recipe } = description;
  const dataset = await openRunData(run, description);
  const splits = await dataset.splits();
  const { split = recipe.evaluation.split, text = '', limit } = options;
  if (!splits.includes(split)) {
    throw new NotThereError(`${dataset.name}: no split "${split}"`, {
      hint: `there are ${splits.join(', ')}`,
    });
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const queries: FoundQueries['queries'] = [];
  for await (const query of dataset.queries(split)) {
    const searched = `${query.id} ${query.text}`.toLowerCase();
    if (!words.every((word) => searched.includes(word))) continue;
    if (queries.length === limit) return { split, splits, queries, more: true };
    queries.push({ id: query.id, text: query.text });
  }
  return { split, splits, queries, more: false };
}
