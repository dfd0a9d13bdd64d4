import type { Dataset, Document, Qrels, Query, TrainingExample } from './dataset.js';

/** What a {@link memoryDataset} holds. */
export interface MemoryData {
  documents: Document[];
  queries: Query[];
  qrels: Record<string, Record<string, Record<string, number>>>;
  examples?: Record<string, TrainingExample[]>;
}

/** A dataset of literals, for tests. */
export function memoryDataset(data: MemoryData): Dataset {
  const qrels = (split: string): Qrels =>
    new Map(Object.entries(data.qrels[split]).map(([id, judged]) => [id, new Map(Object.entries(judged))]));
  return {
    name: 'memory',
    async *documents() {
      yield* data.documents;
    },
    async *queries(split) {
      yield* split === undefined ? data.queries : data.queries.filter(({ id }) => qrels(split).has(id));
    },
    splits: async () => Object.keys(data.qrels),
    qrels: async (split) => qrels(split),
    exampleSplits: async () => Object.keys(data.examples ?? {}),
    async *examples(split) {
      yield* data.examples![split];
    },
  };
}

/** Everything of a dataset as literals; the inverse of {@link memoryDataset}. */
export async function gather(dataset: Dataset): Promise<MemoryData> {
  const data: MemoryData = { documents: [], queries: [], qrels: {}, examples: {} };
  for await (const document of dataset.documents()) data.documents.push(document);
  for await (const query of dataset.queries()) data.queries.push(query);
  for (const split of await dataset.splits()) {
    const qrels = await dataset.qrels(split);
    data.qrels[split] = Object.fromEntries(
      [...qrels].map(([id, judged]) => [id, Object.fromEntries(judged)]),
    );
  }
  for (const split of (await dataset.exampleSplits?.()) ?? []) {
    data.examples![split] = [];
    for await (const example of dataset.examples!(split)) data.examples![split].push(example);
  }
  return data;
}
