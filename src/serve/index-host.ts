import type { LiveSearcher } from '../search/live/live-searcher.js';
import type { Searcher } from '../search/searcher.js';

/** A version in somebody's hands. */
export interface Lease {
  searcher: Searcher;
  release: () => Promise<void>;
}

/** A version and how many work on it. */
class CountedSearcher {
  readonly searcher: Searcher;
  #users = 0;
  #retired = false;

  constructor(searcher: Searcher) {
    this.searcher = searcher;
  }

  lease(): Lease {
    this.#users++;
    let held = true;
    const release = async (): Promise<void> => {
      if (!held) return;
      held = false;
      if (--this.#users === 0 && this.#retired) await this.searcher.close();
    };
    return { searcher: this.searcher, release };
  }

  /** Closes it as soon as nobody works on it. */
  async retire(): Promise<void> {
    if (this.#retired) return;
    this.#retired = true;
    if (this.#users === 0) await this.searcher.close();
  }
}

/** Holds the version that answers: a plain searcher counted here, or one with changeable documents that counts itself. */
export class IndexHost {
  readonly live: LiveSearcher | undefined;
  #current: CountedSearcher;

  constructor(base: Searcher, live?: LiveSearcher) {
    this.live = live;
    this.#current = new CountedSearcher(base);
  }

  get version(): string {
    return (this.live ?? this.#current.searcher).version;
  }

  get documents(): number {
    return (this.live ?? this.#current.searcher).documents.count;
  }

  lease(): Lease {
    if (this.live === undefined) return this.#current.lease();
    const searcher = this.live.snapshot();
    return { searcher, release: () => searcher.close() };
  }

  /** Lets a newer version take over; the old one is closed after its last user. */
  async swap(base: Searcher): Promise<void> {
    if (this.live !== undefined) return this.live.swap(base);
    const old = this.#current;
    this.#current = new CountedSearcher(base);
    await old.retire();
  }

  async close(): Promise<void> {
    await (this.live ?? { close: () => this.#current.retire() }).close();
  }
}
