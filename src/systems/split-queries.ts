import { NearmissError } from '../base/errors.js';
import type { Dataset, Qrels, Query } from '../data/index.js';
import { evaluationQueries } from '../run/evaluation-queries.js';

/** Judged queries to measure on. */
export interface SplitQueries {
  split: string;
  queries: Query[];
  /** Only of those queries. */
  qrels: Qrels;
}

/** The queries of a split that have a judgment and a text. */
export async function splitQueries(
  dataset: Dataset,
  { split, limit = 0, seed = 0 }: { split: string; limit?: number; seed?: number },
): Promise<SplitQueries> {
  const splits = await dataset.splits();
  if (!splits.includes(split)) {
    throw new NearmissError(`${dataset.name}: no split "${split}"`, {
      hint:
        splits.length > 0
          ? `there are ${splits.join(', ')}: name one with --split`
          : 'it has no judgments to measure with: mark hits as right or wrong on the page of nearmiss serve, or import some (nearmiss data import … --queries FILE --qrels SPLIT=FILE)',
    });
  }
  const judged = await dataset.qrels(split);
  const texts = new Map<string, Query>();
  for await (const query of dataset.queries()) if (judged.has(query.id)) texts.set(query.id, query);
  const known = [...judged.keys()].filter((id) => texts.has(id));
  if (known.length === 0) {
    throw new NearmissError(`${dataset.name}: no query of split "${split}" has a judgment and a text`, {
      hint: '`nearmiss data stats` counts what each split has',
    });
  }
  const ids = evaluationQueries(known, { split, limit, seed });
  return {
    split,
    queries: ids.map((id) => texts.get(id)!),
    qrels: new Map(ids.map((id) => [id, judged.get(id)!])),
  };
}
