import type { OpenSearcherOptions, PrepareStep } from '../../search/searcher.js';

/** Something that is being made for later answers. */
export interface PreparationState {
  label: string;
  unit: string;
  done: number;
  total?: number;
  /** By the speed so far; unknown at the beginning. */
  secondsLeft?: number;
}

type Watch = NonNullable<OpenSearcherOptions['onProgress']>;

/** What a server is making while it listens, with how far it is. */
export class Preparations {
  readonly #running = new Set<() => PreparationState>();
  readonly #stop = new AbortController();
  readonly #now: () => number;
  /** Why something that was to come does not. */
  failure: string | undefined;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Those under way, in the order in which they began. */
  get states(): PreparationState[] {
    return [...this.#running].map((state) => state());
  }

  /** Aborted when nothing more is to be made. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Counts along with whoever else is told. */
  watch({ label, unit, total }: PrepareStep, told: ReturnType<Watch>): ReturnType<Watch> {
    const start = this.#now();
    let done = 0;
    const state = (): PreparationState => {
      const seconds = (this.#now() - start) / 1000;
      const known = total !== undefined && done > 0;
      const left = known ? { secondsLeft: Math.ceil((seconds / done) * Math.max(0, total - done)) } : {};
      return { label, unit, done, ...(total !== undefined && { total }), ...left };
    };
    this.#running.add(state);
    return {
      advance: (units) => {
        done += units;
        told.advance(units);
      },
      finish: () => {
        this.#running.delete(state);
        told.finish();
      },
    };
  }
}
