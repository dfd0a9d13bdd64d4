import { NearmissError } from '../../base/errors.js';
import { Random } from '../../engine/random.js';
import type { Dataset, Qrels } from '../dataset.js';
import { DatasetSubset } from './subset.js';

export interface SampleOptions {
  /** How many documents in all. */
  documents: number;
  /** How many judged queries. */
  queries: number;
  seed: number;
  /** The splits to draw queries from. Default: all. */
  from?: string[];
}

/**
 * A smaller collection: some judged queries, all their relevant documents, and other documents by chance up to the
 * number wanted. Judgments and training examples keep only what is in the sample.
 *
 * @example
 * const small = await sampleDataset(dataset, { documents: 1000, queries: 50, seed: 1 });
 * await writeBeir(small, 'data/small');
 */
export async function sampleDataset(dataset: Dataset, options: SampleOptions): Promise<Dataset> {
  const splits = new Map<string, Qrels>();
  for (const split of options.from ?? (await dataset.splits())) splits.set(split, await dataset.qrels(split));
  const queries = chooseQueries(splits, options, dataset.name);
  const required = await relevantDocuments(dataset, splits, queries);
  if (required.size > options.documents) {
    throw new NearmissError(
      `the ${queries.size} queries have ${required.size} relevant documents, more than the ${options.documents} wanted`,
      { hint: 'ask for more documents or fewer queries' },
    );
  }
  const documents = await fill(dataset, required, options);
  return new DatasetSubset(dataset, {
    keepDocument: (id) => documents.has(id),
    keepQuery: (id) => queries.has(id),
    splits: [...splits]
      .filter(([, qrels]) => [...queries].some((id) => qrels.has(id)))
      .map(([split]) => split),
  });
}

function chooseQueries(splits: Map<string, Qrels>, options: SampleOptions, name: string): Set<string> {
  const answerable = new Set<string>();
  for (const qrels of splits.values()) {
    for (const [queryId, judged] of qrels) {
      if ([...judged.values()].some((grade) => grade > 0)) answerable.add(queryId);
    }
  }
  if (answerable.size < options.queries) {
    throw new NearmissError(
      `${name}: expected ${options.queries} queries with relevant documents, got ${answerable.size}`,
      { hint: 'ask for fewer queries' },
    );
  }
  const shuffled = Random.from(options.seed, 'sample', 'queries').shuffle([...answerable]);
  return new Set(shuffled.slice(0, options.queries));
}

async function relevantDocuments(
  dataset: Dataset,
  splits: Map<string, Qrels>,
  queries: Set<string>,
): Promise<Set<string>> {
  const relevant = new Set<string>();
  for (const qrels of splits.values()) {
    for (const queryId of queries) {
      for (const [id, grade] of qrels.get(queryId) ?? []) if (grade > 0) relevant.add(id);
    }
  }
  for (const split of (await dataset.exampleSplits?.()) ?? []) {
    if (!splits.has(split)) continue;
    for await (const { queryId, positives } of dataset.examples!(split)) {
      if (queries.has(queryId)) for (const { id } of positives) relevant.add(id);
    }
  }
  return relevant;
}

/** Adds documents by reservoir sampling: one pass, and memory for the sample only. */
async function fill(dataset: Dataset, required: Set<string>, options: SampleOptions): Promise<Set<string>> {
  const places = options.documents - required.size;
  const random = Random.from(options.seed, 'sample', 'documents');
  const reservoir: string[] = [];
  let seen = 0;
  for await (const { id } of dataset.documents()) {
    if (required.has(id)) continue;
    const place = seen < places ? seen : random.integer(seen + 1);
    if (place < places) reservoir[place] = id;
    seen++;
  }
  return new Set([...required, ...reservoir]);
}
