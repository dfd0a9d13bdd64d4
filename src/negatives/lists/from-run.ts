import { NearmissError } from '../../base/errors.js';
import { inRankOrder, type Run } from '../../evaluate/run.js';
import { type CollectionIds, documentNumber } from '../positives.js';
import type { RankedList } from '../rules/rule.js';

/**
 * The rankings of a run, of whatever system; queries that are not to be trained on are passed over.
 *
 * @example
 * const lists = [...listsFromRun(await readRun('run.trec'), { queries, documents })];
 */
export function* listsFromRun(run: Run, { queries, documents }: CollectionIds): Generator<RankedList> {
  let found = 0;
  for (const [queryId, ranking] of run.rankings) {
    const query = queries.indexOf(queryId);
    if (query < 0) continue;
    found++;
    const { ids, scores } = inRankOrder(ranking);
    const where = `run ${run.tag}, query ${JSON.stringify(queryId)}`;
    yield {
      query,
      ids: Int32Array.from(ids, (id) => documentNumber(id, documents, where)),
      scores: Float32Array.from(scores),
    };
  }
  if (found > 0) return;
  const example = JSON.stringify(run.rankings.keys().next().value);
  throw new NearmissError(`run ${run.tag}: none of its queries is to be trained on, e.g. ${example}`, {
    hint: 'search the training queries, e.g.: nearmiss bm25 search INDEX --queries DATA --split train --run FILE',
  });
}
