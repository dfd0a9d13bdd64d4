import { exists } from '../../base/files.js';
import type { TokenCache } from '../../data/index.js';
import type { SessionOptions } from '../../engine/index.js';
import { type Ranking, type Run, readRun, writeRun } from '../../evaluate/index.js';
import { Bm25SearchPool, openBm25Index } from '../../index/bm25/index.js';
import type { RankedList } from '../../negatives/index.js';
import { bm25Folder } from '../../run/bm25-folder.js';
import { openRun } from '../../run/open-run.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { evaluationSet } from '../../run/training-data.js';
import { DenseCheckpoint } from '../../train/refresh/dense-checkpoint.js';
import { rankInParts } from './rank-in-parts.js';
import { RERANK_DEPTH } from './row.js';

/** How deep retrieval goes. */
const DEPTH = 1000;

/** What a system finds for the test queries, by itself and when it reorders BM25's best. */
export interface SystemRuns {
  retrieval: Run;
  rerank?: Run;
}

type Ranked = Pick<RankedList, 'ids' | 'scores'>;

/** Searches the test queries with a run's checkpoint of a step; what was found is kept beside the run. */
export async function measureRun(
  run: RunDirectory,
  options: { system: string; step: number; split: string; bm25: Run; session: SessionOptions },
): Promise<SystemRuns> {
  const { system, step, split, bm25, session } = options;
  const paths = {
    retrieval: run.file(`${split}-${step}.trec`),
    rerank: run.file(`${split}-${step}-rerank.trec`),
  };
  if (await exists(paths.rerank)) {
    return { retrieval: await readRun(paths.retrieval), rerank: await readRun(paths.rerank) };
  }
  const { data, description } = await openRun(run.path, { quiet: true });
  const { queries } = await evaluationSet(data, { split, limit: 0, seed: 0 });
  const checkpoint = await DenseCheckpoint.open(step, { run, recipe: description.recipe, data, session });
  const retrieval = new Map<string, Ranking>();
  const rerank = new Map<string, Ranking>();
  const { cache } = data.documents;
  // Ranking the whole collection gives every candidate's score, whatever index and however many pieces there are.
  for await (const all of rankInParts(checkpoint, queries, { documents: data.documents.count })) {
    const id = data.queries.cache.id(all.query);
    const candidates = bm25.rankings.get(id)?.ids.slice(0, RERANK_DEPTH) ?? [];
    const wanted = new Set(candidates.map((document) => cache.indexOf(document)));
    const best = { ids: all.ids.subarray(0, DEPTH), scores: all.scores.subarray(0, DEPTH) };
    retrieval.set(id, named(best, cache));
    rerank.set(id, named(restrict(all, wanted), cache));
  }
  await checkpoint.close();
  await data.close();
  const tag = tagOf(system);
  const runs = { retrieval: { tag, rankings: retrieval }, rerank: { tag, rankings: rerank } };
  await keep(paths.retrieval, runs.retrieval);
  await keep(paths.rerank, runs.rerank);
  return runs;
}

/** BM25's ranking of the test queries, made with the index of a run. */
export async function measureBm25(
  run: RunDirectory,
  options: { system: string; split: string },
): Promise<Run> {
  const path = run.file(`${options.split}-bm25.trec`);
  if (await exists(path)) return readRun(path);
  const { data } = await openRun(run.path, { quiet: true });
  const index = await openBm25Index(await bm25Folder(run, data));
  const pool = new Bm25SearchPool(index);
  const queries: { id: string; text: string }[] = [];
  for await (const query of data.dataset.queries(options.split)) queries.push(query);
  const found = await pool.search(
    queries.map(({ text }) => text),
    { k: DEPTH },
  );
  await pool.close();
  await data.close();
  const rankings = new Map(
    queries.map(({ id }, i) => [
      id,
      {
        ids: Array.from(found[i].ids, (document) => index.documentId(document)),
        scores: Float64Array.from(found[i].scores),
      },
    ]),
  );
  const bm25 = { tag: tagOf(options.system), rankings };
  await keep(path, bm25);
  return bm25;
}

/** A run without a single hit is no run to those who read it, and quickly found again. */
async function keep(path: string, run: Run): Promise<void> {
  for (const { ids } of run.rankings.values()) {
    if (ids.length > 0) return writeRun(path, run);
  }
}

/** A system's name as the last column of a run, which has no blanks. */
function tagOf(system: string): string {
  return system.replaceAll(/\s+/g, '-');
}

/** The ranking of the wanted documents among all. */
function restrict({ ids, scores }: Ranked, wanted: ReadonlySet<number>): Ranked {
  const ranks: number[] = [];
  for (let rank = 0; rank < ids.length && ranks.length < wanted.size; rank++) {
    if (wanted.has(ids[rank])) ranks.push(rank);
  }
  return {
    ids: Int32Array.from(ranks, (rank) => ids[rank]),
    scores: Float32Array.from(ranks, (rank) => scores[rank]),
  };
}

/** With ids as the collection has them. */
function named({ ids, scores }: Ranked, collection: TokenCache): Ranking {
  return {
    ids: Array.from(ids, (document) => collection.id(document)),
    scores: Float64Array.from(scores),
  };
}
