interface Closable {
  close(): Promise<void>;
}

/** Remembers what is opened and closes it; what is still opening then is waited for. */
export class Closing {
  readonly #openings: Promise<Closable | undefined>[] = [];
  #closing: Promise<void> | undefined;

  add<T extends Closable | undefined>(opening: T | Promise<T>): Promise<T> {
    const opened = Promise.resolve(opening);
    // Whoever waits for it hears of a failure; until then nobody does.
    opened.catch(() => undefined);
    this.#openings.push(opened);
    return opened;
  }

  /** Like Promise.all, but waits for all even when one fails: nothing may be opened after the rest was closed. */
  async all<const T extends readonly unknown[]>(
    openings: T,
  ): Promise<{ -readonly [key in keyof T]: Awaited<T[key]> }> {
    await Promise.allSettled(openings);
    return Promise.all(openings);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const opened = await Promise.allSettled(this.#openings);
    await Promise.all(opened.map((each) => (each.status === 'fulfilled' ? each.value?.close() : undefined)));
  }
}
