import { exists } from '../../base/files.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import type { Ranked } from '../../base/top-k.js';
import { type Bm25Index, Bm25SearchPool, buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import { READ_ONLY_RUN } from '../../run/run-directory.js';
import type { OpenCheckpoint } from './open-checkpoint.js';

/** What BM25 needs of a run. */
export type Bm25Collection = Pick<OpenCheckpoint, 'run' | 'data' | 'session'>;

/** BM25's ranking of some queries, by number; documents are numbered as in the run. */
export async function bm25Rankings(
  collection: Bm25Collection,
  queries: ArrayLike<number>,
  k: number,
): Promise<Map<number, Ranked>> {
  const texts = await textsOf(collection, queries);
  const pool = new Bm25SearchPool(await openIndex(collection), { threads: collection.session.threads });
  try {
    const found = await pool.search([...texts.values()], { k });
    return new Map([...texts.keys()].map((query, i) => [query, found[i]]));
  } finally {
    await pool.close();
  }
}

/** The run's own BM25 index, or one beside it: building it in the run's place could collide with the Trainer. */
async function openIndex({ run, data }: Bm25Collection): Promise<Bm25Index> {
  const own = run.file('cache', 'bm25');
  if (await exists(own)) return openBm25Index(own);
  const beside = run.file('cache', 'analyze', 'bm25');
  await withWriteLock(`${beside}.lock`, READ_ONLY_RUN, async () => {
    if (!(await exists(beside))) await buildBm25Index(beside, data.dataset.documents());
  });
  return openBm25Index(beside);
}

async function textsOf(
  { data }: Pick<OpenCheckpoint, 'data'>,
  queries: ArrayLike<number>,
): Promise<Map<number, string>> {
  const wanted = new Set(Array.from(queries));
  const texts = new Map<number, string>();
  for await (const { id, text } of data.dataset.queries()) {
    const query = data.queries.cache.indexOf(id);
    if (wanted.has(query)) texts.set(query, text);
  }
  return texts;
}
