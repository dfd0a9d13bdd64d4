import { isSameModel } from '../model-key.js';
import { decodeRecord, type LiveEntry } from './log-record.js';

/** What the records of a log leave in force. */
export class Replay {
  readonly #model: string | undefined;
  readonly #entries = new Map<string, LiveEntry>();
  readonly #sameModel = new Map<string | undefined, boolean>();
  /** The number of the last write. */
  sequence = 0;

  /** @param model vectors of any other are left out */
  constructor(model: string | undefined) {
    this.#model = model;
  }

  /** In the order they were written. */
  get entries(): Iterable<LiveEntry> {
    return this.#entries.values();
  }

  add(record: Buffer, where: string): void {
    const { sequence, entries, model, forget } = decodeRecord(record, where);
    const isUsable = this.#isUsable(model);
    for (const entry of entries) {
      // Taken out first: a map keeps the place of a key that it has.
      this.#entries.delete(entry.id);
      this.#entries.set(entry.id, isUsable ? entry : { ...entry, vectors: undefined });
    }
    if (forget !== undefined) {
      for (const entry of this.#entries.values()) {
        if (entry.sequence <= forget) this.#entries.delete(entry.id);
      }
    }
    this.sequence = Math.max(this.sequence, sequence);
  }

  #isUsable(model: string | undefined): boolean {
    const known = this.#sameModel.get(model) ?? isSameModel(model, this.#model);
    this.#sameModel.set(model, known);
    return known;
  }
}
