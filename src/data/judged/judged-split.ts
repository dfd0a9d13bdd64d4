import { join } from 'node:path';
import { exists } from '../../base/files.js';
import { besideFolder } from '../../base/folders/cache-folder.js';
import type { Judgment, Query } from '../dataset.js';
import type { Located, RecordSource, Sources } from '../sources.js';

/** The split of the queries whose hits people called right or wrong while the collection was served. */
export const JUDGED_SPLIT = 'judged';

/** What people have judged, as queries and judgments of a collection. */
export interface Judged {
  queries: Query[];
  judgments: Judgment[];
}

/** Where the judgments of a collection are kept, a log for each server that took some. */
export async function judgmentsFolder(collection: string): Promise<string> {
  return join(await besideFolder(collection), 'judgments');
}

/** What people have judged up to this moment; servers may go on writing. */
export async function readJudged(collection: string): Promise<Judged> {
  const folder = await judgmentsFolder(collection);
  if (!(await exists(folder))) return { queries: [], judgments: [] };
  const [{ readJudgments }, { queryId }] = await Promise.all([
    import('./read-judgments.js'),
    import('./query-id.js'),
  ]);
  const queries = new Map<string, Query>();
  const judgments: Judgment[] = [];
  for (const { query, document, grade } of (await readJudgments(folder)).all()) {
    const id = queryId(query);
    queries.set(id, { id, text: query });
    judgments.push({ queryId: id, documentId: document, grade });
  }
  return { queries: [...queries.values()], judgments };
}

/** Makes them a split of a collection; one that has a split of that name in its files keeps that. */
export function addJudged(sources: Sources, { queries, judgments }: Judged, place: string): void {
  if (judgments.length === 0 || sources.qrels.has(JUDGED_SPLIT)) return;
  sources.queries.push(inMemory(place, queries));
  sources.qrels.set(JUDGED_SPLIT, inMemory(place, judgments));
}

function inMemory<T>(file: string, values: readonly T[]): RecordSource<T> {
  return {
    file,
    async *read(): AsyncGenerator<Located<T>> {
      for (const [i, value] of values.entries()) yield { value, file, line: i + 1 };
    },
  };
}
