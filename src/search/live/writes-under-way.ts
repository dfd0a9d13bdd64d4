import type { PendingWrites } from './live-searcher.js';
import type { LiveEntry } from './log/log-record.js';

/** The writes on their way to disk: which ids they have and how much they will add. */
export class WritesUnderWay {
  readonly #ids = new Map<string, number>();
  readonly #cost: PendingWrites = { documents: 0, removals: 0, bytes: 0 };

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** What there will be with everything under way and one more write. */
  sum(present: PendingWrites, next: PendingWrites): PendingWrites {
    return {
      documents: present.documents + this.#cost.documents + next.documents,
      removals: present.removals + this.#cost.removals + next.removals,
      bytes: present.bytes + this.#cost.bytes + next.bytes,
    };
  }

  /** Notes a write; to be told when it has landed or failed. */
  add(entries: readonly LiveEntry[], cost: PendingWrites): () => void {
    this.#count(cost, 1);
    for (const { id } of entries) this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
    return () => {
      this.#count(cost, -1);
      for (const { id } of entries) {
        const left = this.#ids.get(id)! - 1;
        if (left > 0) this.#ids.set(id, left);
        else this.#ids.delete(id);
      }
    };
  }

  #count(cost: PendingWrites, sign: 1 | -1): void {
    this.#cost.documents += sign * cost.documents;
    this.#cost.removals += sign * cost.removals;
    this.#cost.bytes += sign * cost.bytes;
  }
}
