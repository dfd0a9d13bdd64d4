import type { Dataset, Qrels } from '../data/dataset.js';
import { ResplitDataset } from '../data/derive/resplit.js';
import { splitDataset } from '../data/derive/split.js';

/** Judged queries that a run does not learn from, because it measures on them. */
export interface HeldOut {
  /** What the split is called that they make. */
  split: string;
  /** The split that they were taken from. */
  from: string;
  /** Their ids. */
  queries: string[];
}

/** Held out where there are enough: a share of the queries, from as many as a difference shows on to as many as are worth the time. */
const SHARE = 0.2;
const LEAST = 50;
const MOST = 500;
/** Always the same, so that all runs on a collection measure on the same queries, whatever their own seed. */
const SEED = 42;
/** What is left to learn from at least. */
const LARGEST_SHARE = 0.5;

/**
 * Chooses the queries to measure on where a collection has no split for it. Queries with the same words stay together,
 * and so do those that share an answer, unless that would leave hardly any to hold out.
 */
export async function holdOut(
  dataset: Dataset,
  { from, split }: { from: string; split: string },
): Promise<HeldOut> {
  const answered = [...(await dataset.qrels(from)).values()].filter(hasPositive).length;
  const wanted = Math.min(Math.max(SHARE * answered, LEAST), LARGEST_SHARE * answered, MOST);
  const ratios = { [from]: answered - wanted, [split]: wanted };
  const choose = async (by: 'document' | 'query'): Promise<string[]> => {
    const { splits } = await splitDataset(dataset, { by, ratios, seed: SEED, from: [from] });
    return [...splits.get(split)!].flatMap(([query, grades]) => (hasPositive(grades) ? [query] : []));
  };
  const apart = await choose('document');
  return { split, from, queries: apart.length >= wanted / 2 ? apart : await choose('query') };
}

/** A collection with a split of the queries that were held out. */
export async function withHeldOut(dataset: Dataset, heldOut: HeldOut | undefined): Promise<Dataset> {
  if (!heldOut) return dataset;
  const { split, from } = heldOut;
  const held = new Set(heldOut.queries);
  const judged = [...(await dataset.qrels(from))];
  const splits = new Map<string, Qrels>([
    [from, new Map(judged.filter(([query]) => !held.has(query)))],
    [split, new Map(judged.filter(([query]) => held.has(query)))],
  ]);
  return new ResplitDataset(dataset, { splits, divided: [from] });
}

function hasPositive(grades: ReadonlyMap<string, number>): boolean {
  return [...grades.values()].some((grade) => grade > 0);
}
