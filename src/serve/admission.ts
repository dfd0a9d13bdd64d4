import { ApiError } from './api-error.js';

export interface AdmissionOptions {
  /** Pieces of work at the same time. */
  concurrent: number;
  /** Pieces of work that may wait; the next is refused at once (429). */
  waiting: number;
  /** Longest wait (503). */
  waitMs: number;
  /** Longest work (504). */
  workMs: number;
}

/**
 * Bounds what a server takes on: so much at a time, so much waiting, the rest is told to come back later while the
 * server still answers quickly. Work that takes too long is answered with 504, but keeps its place until it has
 * really ended, since nothing can interrupt a running matrix product.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queue = new Set<() => void>();
  #active = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get active(): number {
    return this.#active;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** @param signal drops the work from the queue, e.g. because its client has gone */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal);
    const done = work().finally(() => this.#leave());
    return withTimeout(done, this.#options.workMs);
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    if (this.#active < this.#options.concurrent) {
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
      const gone = (): void =>
        settle(() => refuse(new ApiError(499, 'bad_request', 'the client has closed the connection')));
      const timer = setTimeout(
        () => settle(() => refuse(tooLong(503, 'overloaded', 'waited', this.#options.waitMs))),
        this.#options.waitMs,
      );
      this.#queue.add(admit);
      signal?.addEventListener('abort', gone);
      if (signal?.aborted) gone();
    });
  }

  #leave(): void {
    const [next] = this.#queue;
    if (next === undefined) this.#active--;
    else next();
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLong(504, 'timeout', 'worked', ms)), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(status: 503 | 504, code: 'overloaded' | 'timeout', did: string, ms: number): ApiError {
  return new ApiError(status, code, `${did} for ${ms / 1000} s without an answer`, {
    hint: 'ask for less in one request, or try again later',
    retryAfter: status === 503 ? 1 : undefined,
  });
}
