import { NearmissError } from '../../base/errors.js';
import { stackRows } from '../../model/encoder/encoded-texts.js';
import type { EngineConnection, EngineHit, EngineSearch } from './engine.js';
import { someSparse } from './sparse-rows.js';

export interface BestHits {
  hits: EngineHit[][];
  partial?: string;
}

/**
 * The best k documents of each query: equal scores in the order of their numbers, as our own indexes have them. Engines order them as
 * they come, so where the last that was asked for has the score of the one after it, more are fetched. An exact search that says it
 * is not whole fails: nothing must be mined or measured by halves.
 */
export async function bestHits(
  connection: EngineConnection,
  version: string,
  search: EngineSearch,
): Promise<BestHits> {
  const { k, exact } = search;
  const { hits, partial } = await connection.search(version, { ...search, k: k + 1 });
  if (exact && partial !== undefined) {
    throw new NearmissError(`${version}: the answer to an exact search is not whole: ${partial}`, {
      hint: 'repeat the command when all parts of the engine answer',
    });
  }
  for (let fetched = k + 1; exact; ) {
    const cut = hits.flatMap((found, query) => (isCut(found, k, fetched) ? [query] : []));
    if (cut.length === 0) break;
    fetched *= 2;
    const again = await connection.search(version, { ...search, ...someQueries(search, cut), k: fetched });
    cut.forEach((query, i) => {
      hits[query] = again.hits[i];
    });
  }
  return { hits: hits.map((found) => found.sort(byScore).slice(0, k)), partial };
}

function someQueries(
  { rows, sparse }: EngineSearch,
  queries: readonly number[],
): Pick<EngineSearch, 'rows' | 'sparse'> {
  if (sparse) return { sparse: someSparse(sparse, queries) };
  const { vectors, offsets } = rows!;
  const dimension = vectors.length / offsets[offsets.length - 1];
  const some = queries.map((query) =>
    vectors.subarray(offsets[query] * dimension, offsets[query + 1] * dimension),
  );
  return { rows: stackRows(some, dimension) };
}

/** Whether documents that were not fetched may have the score of the k-th. */
function isCut(hits: readonly EngineHit[], k: number, fetched: number): boolean {
  return hits.length === fetched && hits[k - 1].score === hits[fetched - 1].score;
}

function byScore(a: EngineHit, b: EngineHit): number {
  return b.score - a.score || a.number - b.number;
}
