import { NearmissError } from '../../base/errors.js';

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

export interface AddOptions {
  /** Drops what still waits, e.g. because whoever asked has gone. */
  signal?: AbortSignal;
}

/** What one call has asked for. */
interface Call<Item, Result> {
  items: readonly Item[];
  /** How many of the items have been taken into batches, and how many of these are done. */
  taken: number;
  done: number;
  results: Result[];
  resolve: (results: Result[]) => void;
  reject: (error: unknown) => void;
}

/** An item of a batch, by its call and its place there. */
interface Member<Item, Result> {
  call: Call<Item, Result>;
  place: number;
}

/**
 * Dynamic batching: one batch is worked on at a time, and what is asked for meanwhile makes up the next. Nobody waits
 * for company: alone, an item starts at once. The calls that wait take turns, an item each, so that somebody with one
 * item does not wait for all of somebody with a thousand.
 *
 * @example
 * const batcher = new Batcher({ run: (texts: string[]) => encodeAll(texts), budget: 32 });
 * const [a, b] = await Promise.all([batcher.add('near'), batcher.add('miss')]);
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  /** Those with items that wait; whose turn it is first. */
  #calls: Call<Item, Result>[] = [];
  #busy = false;
  #closed = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** How many items wait for the batch at work to end. */
  get waiting(): number {
    return this.#calls.reduce((sum, { items, taken }) => sum + items.length - taken, 0);
  }

  async add(item: Item, options?: AddOptions): Promise<Result> {
    const [result] = await this.addAll([item], options);
    return result;
  }

  /** Several items, which need not share a batch. */
  async addAll(items: readonly Item[], { signal }: AddOptions = {}): Promise<Result[]> {
    if (this.#closed) throw closed();
    signal?.throwIfAborted();
    if (items.length === 0) return [];
    let drop: (() => void) | undefined;
    try {
      return await new Promise<Result[]>((resolve, reject) => {
        const call: Call<Item, Result> = {
          ...{ items, resolve, reject },
          ...{ taken: 0, done: 0, results: new Array<Result>(items.length) },
        };
        drop = () => this.#end(call, signal?.reason);
        signal?.addEventListener('abort', drop);
        this.#calls.push(call);
        this.#start();
      });
    } finally {
      if (drop) signal?.removeEventListener('abort', drop);
    }
  }

  /** Refuses what waits and what is still to come; the batch at work ends. */
  close(): void {
    this.#closed = true;
    for (const call of [...this.#calls]) this.#end(call, closed());
  }

  #start(): void {
    if (this.#busy) return;
    this.#busy = true;
    // Items added in the same turn share the first batch.
    queueMicrotask(() => this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#calls.length > 0) {
      const batch = this.#take();
      try {
        const results = await this.#options.run(batch.map(({ call, place }) => call.items[place]));
        batch.forEach(({ call, place }, i) => {
          call.results[place] = results[i];
          call.done++;
          if (call.done === call.items.length) call.resolve(call.results);
        });
      } catch (error) {
        for (const call of new Set(batch.map((member) => member.call))) this.#end(call, error);
      }
    }
    this.#busy = false;
  }

  /** The rest of a call is not worked on. */
  #end(call: Call<Item, Result>, error: unknown): void {
    this.#calls = this.#calls.filter((other) => other !== call);
    call.reject(error);
  }

  /**
   * The item whose turn it is and, an item of each call after the other, those of its kind that fit the budget with it.
   * Whoever got something into the batch is last in the next.
   */
  #take(): Member<Item, Result>[] {
    const { budget, cost = () => 1, key = () => undefined } = this.#options;
    const [first] = this.#calls;
    const kind = key(first.items[first.taken]);
    const batch: Member<Item, Result>[] = [];
    const served = new Set<Call<Item, Result>>();
    let left = budget;
    let open = this.#calls;
    while (open.length > 0) {
      open = open.filter((call) => {
        const item = call.items[call.taken];
        const itemCost = cost(item);
        // A call's own items keep their order: behind one that does not fit, none goes.
        const fits = batch.length === 0 || (itemCost <= left && key(item) === kind);
        if (!fits) return false;
        left -= itemCost;
        batch.push({ call, place: call.taken++ });
        served.add(call);
        return call.taken < call.items.length;
      });
    }
    const unfinished = this.#calls.filter((call) => call.taken < call.items.length);
    this.#calls = [
      ...unfinished.filter((call) => !served.has(call)),
      ...unfinished.filter((call) => served.has(call)),
    ];
    return batch;
  }
}

function closed(): NearmissError {
  return new NearmissError('closed: no more work is taken');
}
