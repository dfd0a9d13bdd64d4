import { NearmissError } from '../../base/errors.js';
import type { IdTable } from '../../data/id-table.js';
import { inRankOrder, type Run } from '../../evaluate/run.js';
import type { RankedList } from '../rules/rule.js';

/** The numbers of the collection's documents and of the training queries. */
export interface CollectionIds {
  queries: IdTable;
  documents: IdTable;
}

/**
 * The rankings of a run, of whatever system; queries that are not to be trained on are passed over.
 *
 * @example
 * const lists = listsFromRun(await readRun('run.trec'), { queries, documents });
 */
export function* listsFromRun(run: Run, { queries, documents }: CollectionIds): Generator<RankedList> {
  let found = 0;
  for (const [queryId, ranking] of run.rankings) {
    const query = queries.indexOf(queryId);
    if (query < 0) continue;
    found++;
    const { ids, scores } = inRankOrder(ranking);
    yield {
      query,
      ids: Int32Array.from(ids, (id) => numberOf(id, documents, `run ${run.tag}, query ${queryId}`)),
      scores: Float32Array.from(scores),
    };
  }
  if (found > 0) return;
  const example = JSON.stringify(run.rankings.keys().next().value);
  throw new NearmissError(`run ${run.tag}: none of its queries is to be trained on, e.g. ${example}`, {
    hint: 'make a run of the training queries: … search --queries DATA --split train',
  });
}

/** The number of a document that a file names. */
export function numberOf(id: string, documents: IdTable, where: string): number {
  const number = documents.indexOf(id);
  if (number >= 0) return number;
  throw new NearmissError(`${where}: no document ${JSON.stringify(id)} in the collection`, {
    hint: 'was the file made on another collection?',
  });
}
