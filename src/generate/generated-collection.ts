import type { Dataset, Qrels, Query } from '../data/index.js';
import { readGenerated } from './generated-file.js';

const TRAIN = 'train';

/** Whether a generated query is used. */
export type Accepts = (document: string, query: string) => boolean;

/** The documents that each query of a file was written for. */
export async function answersOfGenerated(
  path: string,
  accepts: Accepts = () => true,
): Promise<Map<string, Set<string>>> {
  const documentsOf = new Map<string, Set<string>>();
  for await (const { id, queries } of readGenerated(path)) {
    for (const query of queries) {
      if (!accepts(id, query)) continue;
      const documents = documentsOf.get(query);
      if (documents) documents.add(id);
      else documentsOf.set(query, new Set([id]));
    }
  }
  return documentsOf;
}

/**
 * A collection whose training queries are generated ones, each answered by the document it was written for (QGen, Ma et
 * al. 2021); the other splits stay as they are, to measure on. A query that was written for several documents is one query
 * with several answers.
 */
export async function generatedCollection(
  dataset: Dataset,
  path: string,
  { accepts }: { accepts?: Accepts } = {},
): Promise<{ dataset: Dataset; queries: number; judgments: number }> {
  const documentsOf = await answersOfGenerated(path, accepts);
  const generated = [...documentsOf].map(([text, documents], i) => ({
    id: `generated-${i}`,
    text,
    documents,
  }));
  const kept = (await dataset.splits()).filter((split) => split !== TRAIN);
  async function* own(): AsyncGenerator<Query> {
    for (const { id, text } of generated) yield { id, text };
  }
  const qrels = (): Qrels =>
    new Map(
      generated.map(({ id, documents }) => [id, new Map([...documents].map((document) => [document, 1]))]),
    );
  const judgments = generated.reduce((sum, { documents }) => sum + documents.size, 0);
  return {
    queries: generated.length,
    judgments,
    dataset: {
      name: dataset.name,
      documents: () => dataset.documents(),
      async *queries(split) {
        if (split === undefined || split === TRAIN) yield* own();
        if (split !== undefined) {
          if (split !== TRAIN) yield* dataset.queries(split);
          return;
        }
        const seen = new Set<string>();
        for (const other of kept) {
          for await (const query of dataset.queries(other)) {
            if (seen.has(query.id)) continue;
            seen.add(query.id);
            yield query;
          }
        }
      },
      splits: async () => [TRAIN, ...kept],
      qrels: async (split) => (split === TRAIN ? qrels() : dataset.qrels(split)),
    },
  };
}
