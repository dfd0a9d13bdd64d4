import { waitFor } from '../../run/run-directory.js';
import type { EvaluationSet } from '../../run/training-data.js';
import { trainedKinds } from '../model/kinds.js';
import { isMeasured } from '../refresh/open-checkpoints.js';
import type { MakeContext } from './make-context.js';

export interface PoolOptions {
  dev: EvaluationSet;
  /** Documents of each query that start and trained model put in. */
  depth: number;
  /** Whose documents they are. */
  from: 'both' | 'start';
  /** The most documents in it. */
  documents: number;
}

/**
 * The documents among which mixes are compared: all that are relevant, and what start and trained model find, first
 * ranks first until there are enough. Ascending.
 */
export async function poolOf(context: MakeContext, options: PoolOptions): Promise<Int32Array> {
  const { recipe, data, stage, run, session, progress, signal } = context;
  const { dev, depth, from, documents: most } = options;
  const pool = new Set<number>();
  for (const grades of dev.qrels.values()) {
    for (const [id, grade] of grades) {
      const document = data.documents.cache.indexOf(id);
      if (grade > 0 && document >= 0) pool.add(document);
    }
  }
  if (from === 'both') await awaitIndex(context);
  const lists: ArrayLike<number>[] = [];
  for (const step of from === 'both' ? [0, stage.start] : [0]) {
    const found = await trainedKinds
      .get(recipe.model.kind)
      .openCheckpoint(step, { run, recipe, data, session, onProgress: progress, signal });
    try {
      for await (const { ids } of found.search(dev.queries, depth)) lists.push(ids);
    } finally {
      await found.close();
    }
  }
  for (let rank = 0; rank < depth; rank++) {
    for (const ids of lists) {
      if (pool.size >= most) break;
      if (rank < ids.length) pool.add(ids[rank]);
    }
  }
  return Int32Array.from(pool).sort();
}

/** The Inferencer encodes the collection with the newest checkpoint where it measures it: twice would be a waste. */
async function awaitIndex({
  run,
  recipe,
  plan,
  stage: { start },
  events,
  shouldStop,
  signal,
}: MakeContext): Promise<void> {
  if (!isMeasured(recipe, plan, start)) return;
  const isThere = async (): Promise<true | undefined> =>
    (await run.has('index', start)) || (await run.has('evaluations', start)) || undefined;
  if (await isThere()) return;
  await events.write({ type: 'wait', step: start, for: `index of checkpoint ${start}` });
  await waitFor(isThere, { stop: shouldStop });
  signal.throwIfAborted();
}
