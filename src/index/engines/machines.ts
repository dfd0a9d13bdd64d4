import { setTimeout as sleep } from 'node:timers/promises';
import { EngineAway } from './engine-away.js';

export interface AskOptions {
  /** Time for all tries. */
  totalMs: number;
  signal?: AbortSignal;
  /** Whether asking again, or another machine, may help. */
  mayPass(error: unknown): boolean;
}

const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 2000];

/**
 * The machines of an engine. What fails for a reason that may pass (no connection, no answer in time, an overload, a part that is
 * moving) is asked again, of the next machine, until the time is over. Whatever is asked must be harmless to repeat.
 */
export class Machines {
  readonly #engine: string;
  readonly #names: readonly string[];
  /** The machine that answered last. */
  #at = 0;

  /** @param names in the order in which they are tried */
  constructor(engine: string, names: readonly string[]) {
    this.#engine = engine;
    this.#names = names;
  }

  /** @param ask given the number of a machine and the milliseconds that are left */
  async ask<T>(
    ask: (machine: number, leftMs: number) => Promise<T>,
    { totalMs, signal, mayPass }: AskOptions,
  ): Promise<T> {
    const end = performance.now() + totalMs;
    let pause = FIRST_PAUSE_MS;
    for (let tried = 1; ; tried++) {
      const at = this.#at;
      try {
        return await ask(at, Math.max(1, end - performance.now()));
      } catch (error) {
        if (!mayPass(error) || signal?.aborted) throw error;
        // Unless another request has found one meanwhile.
        if (this.#at === at) this.#at = (at + 1) % this.#names.length;
        if (performance.now() + pause > end) throw this.#unreachable(error, tried);
      }
      // A machine that has not been asked yet is asked at once.
      if (tried >= this.#names.length) {
        await sleep(pause, undefined, { signal });
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  #unreachable(error: unknown, tries: number): EngineAway {
    const reason = error instanceof Error ? causeOf(error) : String(error);
    return new EngineAway(
      `${this.#engine} at ${this.#names.join(', ')} does not answer (${tries} tries): ${reason}`,
      {
        hint: 'is it running, and is the address right? Several machines may be named, with commas',
        cause: error,
      },
    );
  }
}

/** `fetch failed` says nothing; what it was caused by does. Of several addresses of a host, the first. */
function causeOf(error: Error): string {
  const { cause = error } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message : error.message;
}
