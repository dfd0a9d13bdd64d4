import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { StudyProgress } from '../../analyze/study-progress.js';
import { ApiError } from '../api-error.js';

/** Results kept in memory for the next who asks. */
const KEPT = 32;
/** Each takes all cores for seconds or minutes: more are not let wait. */
const MOST_WAITING = 8;
const RETRY_SECONDS = 10;

export interface StudyTools {
  onProgress: (progress: StudyProgress) => void;
  signal: AbortSignal;
}

/** A result, or how far it is. */
export type StudyState<T> = { state: 'ready'; value: T } | ({ state: 'computing' } & StudyProgress);

interface Job {
  promise: Promise<unknown>;
  progress: StudyProgress;
}

/** Does what takes long one after another; whoever asks again for the same is told how far it is. */
export class StudyDesk {
  readonly #jobs = new Map<string, Job>();
  readonly #done = new LRUCache<string, { value: unknown }>({ max: KEPT });
  readonly #closing = new AbortController();
  /** How long an answer may wait for the result. */
  readonly #patienceMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: { patienceMs?: number } = {}) {
    this.#patienceMs = options.patienceMs ?? 500;
  }

  /** The result for a key; the first to ask starts the work. What fails is forgotten once somebody was told. */
  async ask<T>(key: string, work: (tools: StudyTools) => Promise<T>): Promise<StudyState<T>> {
    const done = this.#done.get(key);
    if (done) return { state: 'ready', value: done.value as T };
    const job = this.#jobs.get(key) ?? this.#begin(key, work);
    const waited = new AbortController();
    try {
      const pending = sleep(this.#patienceMs, undefined, { signal: waited.signal });
      const result = await Promise.race([job.promise.then((value) => ({ value })), pending]);
      if (!result) return { state: 'computing', ...job.progress };
      this.#jobs.delete(key);
      this.#done.set(key, result);
      return { state: 'ready', value: result.value as T };
    } catch (error) {
      this.#jobs.delete(key);
      throw error;
    } finally {
      waited.abort();
    }
  }

  /** Ends what is going on. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled([...this.#jobs.values()].map(({ promise }) => promise));
  }

  #begin(key: string, work: (tools: StudyTools) => Promise<unknown>): Job {
    if (this.#jobs.size >= MOST_WAITING) {
      throw new ApiError(503, 'overloaded', `${MOST_WAITING} others are being computed or wait for it`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    const { signal } = this.#closing;
    const job: Job = { promise: this.#last, progress: { part: 'waiting', done: 0, total: 0 } };
    const onProgress = (progress: StudyProgress): void => {
      job.progress = progress;
    };
    job.promise = this.#last.then(() => {
      if (signal.aborted) throw new ApiError(503, 'closing', 'the server is closing');
      job.progress = { part: 'opening', done: 0, total: 0 };
      return work({ onProgress, signal });
    });
    this.#last = job.promise.catch(() => undefined);
    this.#jobs.set(key, job);
    return job;
  }
}
