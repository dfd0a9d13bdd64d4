import type { Searcher } from '../searcher.js';

/** A searcher that is closed when it is no longer wanted and nobody works on it any more. */
export class LeasedSearcher<S extends Searcher = Searcher> {
  readonly searcher: S;
  #leases = 0;
  #retired = false;
  #closing: Promise<void> | undefined;

  constructor(searcher: S) {
    this.searcher = searcher;
  }

  /** Keeps it open until the function that this gives is called. */
  lease(): () => Promise<void> {
    this.#leases++;
    let held = true;
    return async () => {
      if (!held) return;
      held = false;
      this.#leases--;
      await this.#closeIfUnused();
    };
  }

  /** Closes it after the last lease. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.#closeIfUnused();
  }

  async #closeIfUnused(): Promise<void> {
    if (!this.#retired || this.#leases > 0) return;
    this.#closing ??= this.searcher.close();
    await this.#closing;
  }
}
