/** What can be released. */
interface Released {
  release(): Promise<void>;
}

/** A compiled model that is made when it is asked for first: whoever finds all scores on the disk needs none. */
export class Later<T extends Released> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  get(): Promise<T> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async release(): Promise<void> {
    await (await this.#made)?.release();
  }
}
