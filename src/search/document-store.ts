import type { Document } from '../data/index.js';

/** The documents of a collection by id, whatever their number, in little memory. */
export interface DocumentStore {
  readonly count: number;
  has(id: string): boolean;
  /** The caller's own: what becomes of it changes nothing here. */
  get(id: string): Promise<Document | undefined>;
  /** Several at once, in the order asked for. */
  getAll(ids: readonly string[]): Promise<(Document | undefined)[]>;
  /** Every id, in the collection's order. They are in memory, and can be read on after `close`. */
  ids(): Iterable<string>;
  /** What is known about each document, in the same order. */
  metadata(): AsyncIterable<Record<string, unknown> | undefined>;
  close(): Promise<void>;
}

/** Of an index whose collection is not at hand. */
export const NO_DOCUMENTS: DocumentStore = {
  count: 0,
  has: () => false,
  get: async () => undefined,
  getAll: async (ids) => ids.map(() => undefined),
  ids: () => [],
  async *metadata() {},
  async close() {},
};
