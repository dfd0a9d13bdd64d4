import { ApiError } from './api-error.js';

export interface AdmissionOptions {
  /** Pieces of work at the same time. */
  concurrent: number;
  /** The same for work on many things at once, which has places of its own. */
  concurrentBatches: number;
  /** Pieces of work that may wait, of either sort; the next is refused at once (429). */
  waiting: number;
  /** Longest wait (503). */
  waitMs: number;
  /** Longest work (504). */
  workMs: number;
}

export interface WorkOptions {
  /** Drops the work, e.g. because its client has gone: from the queue, or by the signal that it is given. */
  signal?: AbortSignal;
  /** How many queries, texts or documents it is about. */
  size?: number;
}

/** Work on more than so many things is a batch. */
const LARGEST_ALONE = 8;

/**
 * Bounds what a server takes on: so much at a time, so much waiting, the rest is told to come back later while the
 * server still answers quickly. A single query never waits for a place behind batches. Work that takes too long is
 * answered with 504 and told to stop, but keeps its place until it has really ended, since nothing can interrupt a
 * running matrix product.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #alone: Lane;
  readonly #batches: Lane;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#alone = new Lane(options.concurrent, options);
    this.#batches = new Lane(options.concurrentBatches, options);
  }

  get active(): number {
    return this.#alone.active + this.#batches.active;
  }

  get waiting(): number {
    return this.#alone.waiting + this.#batches.waiting;
  }

  /** @param work is given a signal that says when it is not wanted any more */
  async run<T>(work: (signal: AbortSignal) => Promise<T>, options: WorkOptions = {}): Promise<T> {
    const { signal, size = 1 } = options;
    const lane = size > LARGEST_ALONE ? this.#batches : this.#alone;
    await lane.enter(signal);
    if (signal?.aborted) {
      lane.leave();
      throw clientGone();
    }
    const unwanted = new AbortController();
    const gone = (): void => unwanted.abort(clientGone());
    signal?.addEventListener('abort', gone);
    const done = work(unwanted.signal).finally(() => {
      signal?.removeEventListener('abort', gone);
      lane.leave();
    });
    return withTimeout(done, this.#options.workMs, (error) => unwanted.abort(error));
  }
}

/** Places for work of one sort, and who waits for one. */
class Lane {
  readonly #places: number;
  readonly #options: Pick<AdmissionOptions, 'waiting' | 'waitMs'>;
  readonly #queue = new Set<() => void>();
  #active = 0;

  constructor(places: number, options: Pick<AdmissionOptions, 'waiting' | 'waitMs'>) {
    this.#places = places;
    this.#options = options;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  async enter(signal?: AbortSignal): Promise<void> {
    if (this.#active < this.#places) {
      this.#active++;
      return;
    }
    if (this.#queue.size >= this.#options.waiting) {
      throw new ApiError(429, 'overloaded', `${this.#queue.size} requests are waiting already`, {
        hint: 'try again after the time in Retry-After, a little later each time',
        retryAfter: 1,
      });
    }
    // Whoever leaves hands its place over, so nobody can slip in between.
    await new Promise<void>((enter, refuse) => {
      const settle = (then: () => void): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
        this.#queue.delete(admit);
        then();
      };
      const admit = (): void => settle(enter);
      const gone = (): void => settle(() => refuse(clientGone()));
      const timer = setTimeout(
        () => settle(() => refuse(tooLong(503, 'overloaded', 'waited', this.#options.waitMs))),
        this.#options.waitMs,
      );
      this.#queue.add(admit);
      signal?.addEventListener('abort', gone);
      if (signal?.aborted) gone();
    });
  }

  leave(): void {
    const [next] = this.#queue;
    if (next === undefined) this.#active--;
    else next();
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number, stop: (error: ApiError) => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = tooLong(504, 'timeout', 'worked', ms);
      reject(error);
      stop(error);
    }, ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function clientGone(): ApiError {
  return new ApiError(499, 'bad_request', 'the client has closed the connection');
}

function tooLong(status: 503 | 504, code: 'overloaded' | 'timeout', did: string, ms: number): ApiError {
  return new ApiError(status, code, `${did} for ${ms / 1000} s without an answer`, {
    hint: 'ask for less in one request, or try again later',
    retryAfter: status === 503 ? 1 : undefined,
  });
}
