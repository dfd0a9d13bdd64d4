import { LeasedSearcher } from '../../search/live/leased-searcher.js';
import type { LiveSearcher } from '../../search/live/live-searcher.js';
import type { Searcher } from '../../search/searcher.js';

/** A version in somebody's hands. */
export interface Lease {
  searcher: Searcher;
  release: () => Promise<void>;
}

/** Holds the version that answers: a plain searcher, or one with changeable documents that keeps its own versions. */
export class IndexHost {
  readonly live: LiveSearcher | undefined;
  #current: LeasedSearcher;

  constructor(base: Searcher, live?: LiveSearcher) {
    this.live = live;
    this.#current = new LeasedSearcher(base);
  }

  get version(): string {
    return (this.live ?? this.#current.searcher).version;
  }

  get documents(): number {
    return (this.live ?? this.#current.searcher).documents.count;
  }

  lease(): Lease {
    if (this.live === undefined) return { searcher: this.#current.searcher, release: this.#current.lease() };
    const searcher = this.live.snapshot();
    return { searcher, release: () => searcher.close() };
  }

  /** Lets a newer version take over; the old one is closed after its last user. */
  async swap(base: Searcher): Promise<void> {
    if (this.live !== undefined) return this.live.swap(base);
    const old = this.#current;
    this.#current = new LeasedSearcher(base);
    await old.retire();
  }

  async close(): Promise<void> {
    if (this.live === undefined) await this.#current.retire();
    else await this.live.close();
  }
}
