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

/** Opens several things that belong together; where that fails, what it was given to remember is closed. */
export async function closingOnFailure<T>(open: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = new Closing();
  try {
    return await open(closing);
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/** Uses several things that are opened on the way, and closes them however that ends. */
export async function closingAfter<T>(use: (closing: Closing) => Promise<T>): Promise<T> {
  const closing = new Closing();
  try {
    return await use(closing);
  } finally {
    await closing.close();
  }
}
