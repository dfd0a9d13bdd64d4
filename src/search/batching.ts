import { NearmissError } from '../base/errors.js';

export interface BatcherOptions<Item, Result> {
  /** Works on items together; one result for each, in order. */
  run(items: Item[]): Promise<Result[]>;
  /** What the items of a batch may cost together; a single item may cost more. */
  budget: number;
  /** Default 1 each. */
  cost?: (item: Item) => number;
  /** Only items with the same key are worked on together. */
  key?: (item: Item) => unknown;
}

interface Waiting<Item, Result> {
  item: Item;
  cost: number;
  key: unknown;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Dynamic batching: one batch is worked on at a time, and what is asked for meanwhile makes up the next. Nobody waits
 * for company: alone, an item starts at once.
 *
 * @example
 * const batcher = new Batcher({ run: (texts: string[]) => encodeAll(texts), budget: 32 });
 * const [a, b] = await Promise.all([batcher.add('near'), batcher.add('miss')]);
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #busy = false;
  #closed = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** How many items wait for the batch at work to end. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): Promise<Result> {
    if (this.#closed) return Promise.reject(closed());
    const { cost, key } = this.#options;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, cost: cost?.(item) ?? 1, key: key?.(item), resolve, reject });
      this.#start();
    });
  }

  /** Several items, which need not share a batch. */
  addAll(items: readonly Item[]): Promise<Result[]> {
    return Promise.all(items.map((item) => this.add(item)));
  }

  /** Refuses what waits and what is still to come; the batch at work ends. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(closed());
  }

  #start(): void {
    if (this.#busy) return;
    this.#busy = true;
    // Items added in the same turn share the first batch.
    queueMicrotask(() => this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      try {
        const results = await this.#options.run(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, i) => {
          resolve(results[i]);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }

  /** The first item that waits and, in order, those of its kind that fit the budget with it. */
  #take(): Waiting<Item, Result>[] {
    const [first] = this.#waiting;
    const batch: Waiting<Item, Result>[] = [];
    const rest: Waiting<Item, Result>[] = [];
    let left = this.#options.budget;
    for (const waiting of this.#waiting) {
      const fits = waiting === first || (waiting.key === first.key && waiting.cost <= left);
      if (fits) left -= waiting.cost;
      // Once one of its kind did not fit, later ones must not overtake it.
      else if (waiting.key === first.key) left = Number.NEGATIVE_INFINITY;
      (fits ? batch : rest).push(waiting);
    }
    this.#waiting = rest;
    return batch;
  }
}

function closed(): NearmissError {
  return new NearmissError('closed: no more work is taken');
}
