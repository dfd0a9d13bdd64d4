interface Closable {
  close(): Promise<void>;
}

/** Remembers what was opened, so that a failure half-way leaves nothing open. */
export class Closing {
  readonly #opened: Closable[] = [];

  async add<T extends Closable>(opening: T | Promise<T>): Promise<T> {
    const opened = await opening;
    this.#opened.push(opened);
    return opened;
  }

  /** Like Promise.all, but waits for all even when one fails: what opens late must be closed, too. */
  async all<const T extends readonly unknown[]>(
    openings: T,
  ): Promise<{ -readonly [key in keyof T]: Awaited<T[key]> }> {
    await Promise.allSettled(openings);
    return Promise.all(openings);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#opened.map((opened) => opened.close()));
  }
}
