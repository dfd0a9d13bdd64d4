import type { Document } from '../../../data/index.js';
import type { DocumentStore } from '../../document-store.js';
import type { LiveEntry } from '../log/log-record.js';
import type { OverlayState } from './overlay.js';

/** The base's documents as the overlay leaves them; the added ones come last. */
export class LiveDocuments implements DocumentStore {
  readonly #base: DocumentStore;
  readonly #writes: OverlayState;

  constructor(base: DocumentStore, writes: OverlayState) {
    this.#base = base;
    this.#writes = writes;
  }

  get count(): number {
    return this.#base.count - this.#writes.counts.hidden + this.#writes.counts.documents;
  }

  has(id: string): boolean {
    const entry = this.#writes.entry(id);
    return entry ? entry.document !== undefined : this.#base.has(id);
  }

  async get(id: string): Promise<Document | undefined> {
    const entry = this.#writes.entry(id);
    return entry ? copyOf(entry) : this.#base.get(id);
  }

  async getAll(ids: readonly string[]): Promise<(Document | undefined)[]> {
    const inBase = ids.filter((id) => this.#writes.entry(id) === undefined);
    const found = await this.#base.getAll(inBase);
    let next = 0;
    return ids.map((id) => {
      const entry = this.#writes.entry(id);
      return entry ? copyOf(entry) : found[next++];
    });
  }

  *ids(): Generator<string> {
    for (const id of this.#base.ids()) if (!this.#writes.entry(id)) yield id;
    for (const { id, document } of this.#writes.entries()) if (document) yield id;
  }

  async *metadata(): AsyncGenerator<Record<string, unknown> | undefined> {
    const ids = this.#base.ids()[Symbol.iterator]();
    for await (const metadata of this.#base.metadata()) {
      if (!this.#writes.entry(ids.next().value!)) yield metadata;
    }
    for (const { document } of this.#writes.entries()) if (document) yield document.metadata;
  }

  /** The base belongs to the searcher. */
  async close(): Promise<void> {}
}

/** Whoever asked may do with it what they like; the one in the overlay is to stay as it was written. */
function copyOf({ document }: LiveEntry): Document | undefined {
  return structuredClone(document);
}
