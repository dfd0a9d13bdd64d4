/** Lets writes start in the order of the calls, though each may take its time to get ready. */
export class WriteQueue {
  #turn: Promise<unknown> = Promise.resolve();
  #lastWrite: Promise<unknown> = Promise.resolve();

  /**
   * Starts a write when it is prepared and those before it have been started; gives its outcome. Writes under way at
   * the same time end in the order they were started.
   */
  async inOrder<P, R>(
    prepared: Promise<P>,
    start: (prepared: P) => Promise<{ done: Promise<R> }>,
  ): Promise<R> {
    // Whoever waits for the outcome hears of a failure; until then nobody does.
    prepared.catch(() => undefined);
    const { done } = await this.#next(async () => {
      const started = await start(await prepared);
      this.#lastWrite = started.done.catch(() => undefined);
      return started;
    });
    return done;
  }

  /** Works while no write is under way; later ones wait. */
  exclusively<R>(work: () => Promise<R>): Promise<R> {
    return this.#next(async () => {
      await this.#lastWrite;
      return work();
    });
  }

  #next<R>(work: () => Promise<R>): Promise<R> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
