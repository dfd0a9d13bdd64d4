import { NearmissError } from '../../base/errors.js';
import type { Dataset, Qrels } from '../../data/dataset.js';
import { ResplitDataset } from '../../data/derive/resplit.js';
import { type SplitBy, splitDataset } from '../../data/derive/split.js';
import { labelledDocuments, queriesWithoutLabels, relevantOf } from './queries-without-labels.js';

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
/** The share of those held out that ask for documents without labels at least, where there are such queries. */
const SHARE_WITHOUT_LABELS = 1 / 3;

/**
 * Chooses the queries to measure on where a collection has no split for it: by chance, so that they relate to the labelled
 * documents as queries to come will, whose documents often have labels already. Where hardly any of them asks for a
 * document that no other query has, a part is chosen so that it does: whether a model is worse on documents without
 * labels must be seen. Queries with the same words always stay together.
 */
export async function holdOut(
  dataset: Dataset,
  { from, split }: { from: string; split: string },
): Promise<HeldOut> {
  const judged = await dataset.qrels(from);
  const answered = [...judged.values()].filter(hasRelevant).length;
  if (answered < 2) throw tooFew(dataset, { from, split, answered });
  const wanted = Math.max(1, Math.min(Math.max(SHARE * answered, LEAST), LARGEST_SHARE * answered, MOST));
  const held = (queries: string[]): HeldOut => ({ split, from, queries });
  const byChance = held(await choose(dataset, { by: 'query', count: wanted, from, split }));
  const needed = SHARE_WITHOUT_LABELS * wanted;
  if (withoutLabels(byChance, judged) >= needed) return byChance;
  const apart = held(await choose(dataset, { by: 'document', count: needed, from, split }));
  // Of queries that nearly all share answers none can be told apart without taking most of them away.
  if (apart.queries.length < needed / 2 || apart.queries.length > wanted) return byChance;
  const count = wanted - apart.queries.length;
  if (count < 1) return apart;
  const others = await choose(await withHeldOut(dataset, apart), { by: 'query', count, from, split });
  return held([...apart.queries, ...others]);
}

/** About `count` queries with an answer of those that are judged. */
async function choose(
  dataset: Dataset,
  { by, count, from, split }: { by: SplitBy; count: number; from: string; split: string },
): Promise<string[]> {
  const answered = [...(await dataset.qrels(from)).values()].filter(hasRelevant).length;
  const ratios = { [from]: answered - count, [split]: count };
  const { splits } = await splitDataset(dataset, { by, ratios, seed: SEED, from: [from] });
  return [...splits.get(split)!].flatMap(([query, grades]) => (hasRelevant(grades) ? query : []));
}

/** How many of the held out queries ask for documents that no other query has. */
function withoutLabels({ queries }: HeldOut, judged: Qrels): number {
  const held = new Set(queries);
  const labelled = labelledDocuments(new Map([...judged].filter(([query]) => !held.has(query))));
  return queriesWithoutLabels(queries, judged, (document) => labelled.has(document)).length;
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

function hasRelevant(grades: ReadonlyMap<string, number>): boolean {
  return relevantOf(grades).length > 0;
}

function tooFew(
  dataset: Dataset,
  { from, split, answered }: { from: string; split: string; answered: number },
): NearmissError {
  const queries = answered === 0 ? 'no query' : 'a single query';
  return new NearmissError(
    `${dataset.name}: ${queries} of split "${from}" has a relevant document, and there is no split "${split}" to measure on`,
    {
      hint: 'training needs queries with a judgment above 0, some to learn from and others to measure on; without any, `nearmiss adapt` learns from the documents alone',
    },
  );
}
