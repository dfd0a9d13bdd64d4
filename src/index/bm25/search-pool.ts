import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { NearmissError } from '../../base/errors.js';
import { packageFile } from '../../base/package-files.js';
import type { Ranked } from '../../base/top-k.js';
import type { Bm25Index } from './bm25-index.js';
import { Bm25Ranker, type RankOptions } from './ranker.js';
import type { SearchAnswer, SearchTask, SearchWorkerData } from './search-messages.js';

/** Enough texts that sending them costs little, few enough that no thread is left waiting at the end. */
const TEXTS_PER_TASK = 32;

/**
 * Searches many queries on several threads, which share one copy of the index. The rankings are those of a single
 * thread, in the order of the queries.
 *
 * @example
 * const pool = new Bm25SearchPool(index, { threads: 4 });
 * const rankings = await pool.search(['first query', 'second query'], { k: 1000 });
 * await pool.close();
 */
export class Bm25SearchPool {
  readonly threads: number;
  readonly #ranker: Bm25Ranker;
  readonly #workers: Worker[] = [];
  /** A thread that has failed never answers again. */
  #failure: Error | undefined;

  /** @param options.threads default: as many as the machine runs at once */
  constructor(index: Bm25Index, options: { threads?: number } = {}) {
    this.threads = options.threads ?? availableParallelism();
    this.#ranker = new Bm25Ranker(index);
    if (this.threads === 1) return;
    const workerData: SearchWorkerData = { meta: index.meta, buffers: index.buffers };
    for (let i = 0; i < this.threads; i++) {
      const worker = new Worker(packageFile('dist/index/bm25/search-worker.js'), { workerData });
      worker.once('error', (error) => {
        this.#failure ??= error;
      });
      this.#workers.push(worker);
    }
  }

  async search(
    texts: readonly string[],
    options: RankOptions & { onDone?: (queries: number) => void },
  ): Promise<Ranked[]> {
    if (this.#failure) throw this.#failure;
    const { onDone, ...rankOptions } = options;
    const rankings = new Array<Ranked>(texts.length);
    let next = 0;
    const takeTasks = async (rank: (task: SearchTask) => Ranked[] | Promise<Ranked[]>): Promise<void> => {
      while (next < texts.length) {
        const first = next;
        next += TEXTS_PER_TASK;
        const task = { texts: texts.slice(first, next), options: rankOptions };
        const found = await Promise.resolve(rank(task)).catch((error) => {
          next = texts.length;
          throw error;
        });
        for (let i = 0; i < found.length; i++) rankings[first + i] = found[i];
        onDone?.(found.length);
      }
    };
    if (this.#workers.length === 0) await takeTasks((task) => this.#rankHere(task));
    else await allDone(this.#workers.map((worker) => takeTasks((task) => ask(worker, task))));
    return rankings;
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #rankHere({ texts, options }: SearchTask): Ranked[] {
    return texts.map((text) => this.#ranker.rank(text, options));
  }
}

/** Like Promise.all, but waits for all even when one fails: a thread must have answered before it is asked again. */
async function allDone(jobs: Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(jobs);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

function ask(worker: Worker, task: SearchTask): Promise<Ranked[]> {
  return new Promise((resolve, reject) => {
    const settle = (action: () => void): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      action();
    };
    const onMessage = (answer: SearchAnswer): void =>
      settle(() => {
        if ('rankings' in answer) resolve(answer.rankings);
        else reject(new NearmissError(answer.error.message, { hint: answer.error.hint }));
      });
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (code: number): void =>
      settle(() => reject(new NearmissError(`a search thread ended with code ${code} before it answered`)));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(task);
  });
}
