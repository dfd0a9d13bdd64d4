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
  /** Aborted when nobody waits for the result any more, or it has taken too long. */
  signal: AbortSignal;
}

/** A result, or how far it is. */
export type StudyState<T> = { state: 'ready'; value: T } | ({ state: 'computing' } & StudyProgress);

export interface StudyDeskOptions {
  /** How long an answer may wait for the result. Default half a second. */
  patienceMs?: number;
  /** How long work goes on, or waits for its turn, without anybody asking for it. Default 90 s: pages ask every second, in tabs out of sight every minute. */
  unaskedMs?: number;
  /** The longest work. Default half an hour. */
  workMs?: number;
}

type Outcome = { value: unknown } | { error: unknown };

interface Job {
  outcome: Promise<Outcome>;
  progress: StudyProgress;
  /** Notes that somebody waits for it. */
  ask(): void;
}

/**
 * Does what takes long one after another; whoever asks again for the same is told how far it is. A job's place is free
 * as soon as it has ended, or as nobody has asked for it for a while: a page that was closed must not keep others out.
 */
export class StudyDesk {
  readonly #jobs = new Map<string, Job>();
  /** Failures are kept until somebody was told. */
  readonly #done = new LRUCache<string, Outcome>({ max: KEPT });
  readonly #closing = new AbortController();
  readonly #options: Required<StudyDeskOptions>;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: StudyDeskOptions = {}) {
    this.#options = { patienceMs: 500, unaskedMs: 90_000, workMs: 30 * 60_000, ...options };
  }

  /** The result for a key; the first to ask starts the work. What fails is forgotten once somebody was told. */
  async ask<T>(key: string, work: (tools: StudyTools) => Promise<T>): Promise<StudyState<T>> {
    const done = this.#done.get(key);
    if (done) return this.#tell<T>(key, done);
    const job = this.#jobs.get(key) ?? this.#begin(key, work);
    job.ask();
    const waited = new AbortController();
    try {
      const pending = sleep(this.#options.patienceMs, undefined, { signal: waited.signal });
      const outcome = await Promise.race([job.outcome, pending]);
      return outcome ? this.#tell<T>(key, outcome) : { state: 'computing', ...job.progress };
    } finally {
      waited.abort();
    }
  }

  /** Ends what is going on. */
  async close(): Promise<void> {
    this.#closing.abort(new ApiError(503, 'closing', 'the server is closing'));
    await Promise.all([...this.#jobs.values()].map(({ outcome }) => outcome));
    await this.#last;
  }

  #tell<T>(key: string, outcome: Outcome): StudyState<T> {
    if ('value' in outcome) return { state: 'ready', value: outcome.value as T };
    this.#done.delete(key);
    throw outcome.error;
  }

  #begin(key: string, work: (tools: StudyTools) => Promise<unknown>): Job {
    if (this.#jobs.size >= MOST_WAITING) {
      throw new ApiError(503, 'overloaded', `${MOST_WAITING} others are being computed or wait for it`, {
        retryAfter: RETRY_SECONDS,
      });
    }
    const { unaskedMs, workMs } = this.#options;
    const unwanted = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, unwanted.signal]);
    const unasked = setTimeout(() => unwanted.abort(notAskedFor(unaskedMs)), unaskedMs);
    const job: Job = {
      outcome: Promise.resolve({ value: undefined }),
      progress: { part: 'waiting', done: 0, total: 0 },
      ask: () => void unasked.refresh(),
    };
    const compute = async (): Promise<unknown> => {
      signal.throwIfAborted();
      job.progress = { part: 'opening', done: 0, total: 0 };
      const overdue = setTimeout(() => unwanted.abort(tookTooLong(workMs)), workMs);
      try {
        return await work({
          onProgress: (progress) => {
            job.progress = progress;
          },
          signal,
        });
      } finally {
        clearTimeout(overdue);
      }
    };
    const settle = (outcome: Outcome): Outcome => {
      clearTimeout(unasked);
      if (this.#jobs.get(key) === job) this.#jobs.delete(key);
      // What was given up is begun anew by whoever asks next.
      if (!signal.aborted) this.#done.set(key, outcome);
      return outcome;
    };
    const turn = this.#last.then(compute);
    this.#last = turn.catch(() => undefined);
    // A job that waits for its turn leaves at once; one at work has its turn until it has really ended.
    job.outcome = Promise.race([turn, aborted(signal)]).then(
      (value) => settle({ value }),
      (error) => settle({ error: signal.aborted ? signal.reason : error }),
    );
    this.#jobs.set(key, job);
    return job;
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function notAskedFor(ms: number): ApiError {
  return new ApiError(503, 'unavailable', `nobody asked for it for ${ms / 1000} s, so it was given up`, {
    hint: 'ask again',
    retryAfter: 1,
  });
}

function tookTooLong(ms: number): ApiError {
  return new ApiError(504, 'timeout', `it was not done in ${ms / 60_000} minutes, so it was given up`, {
    hint: 'use `nearmiss report`, which has no limit',
  });
}
