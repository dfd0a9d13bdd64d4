import type { Document } from '../../../data/index.js';
import type { DocumentStore } from '../../document-store.js';
import type { LiveSnapshot } from './live-snapshot.js';

/** The documents as they are whenever somebody asks. */
export class CurrentDocuments implements DocumentStore {
  readonly #snapshot: () => LiveSnapshot;

  constructor(snapshot: () => LiveSnapshot) {
    this.#snapshot = snapshot;
  }

  get count(): number {
    return this.#now(({ count }) => count);
  }

  has(id: string): boolean {
    return this.#now((documents) => documents.has(id));
  }

  async get(id: string): Promise<Document | undefined> {
    return this.#now((documents) => documents.get(id));
  }

  async getAll(ids: readonly string[]): Promise<(Document | undefined)[]> {
    return this.#now((documents) => documents.getAll(ids));
  }

  /** Those of this moment; whoever stops half way has to tell nobody. */
  ids(): Iterable<string> {
    return this.#now((documents) => documents.ids());
  }

  async *metadata(): AsyncGenerator<Record<string, unknown> | undefined> {
    const snapshot = this.#snapshot();
    try {
      yield* snapshot.documents.metadata();
    } finally {
      await snapshot.close();
    }
  }

  /** The base belongs to the searcher. */
  async close(): Promise<void> {}

  /** Asks a snapshot, which stays open until the answer is there. */
  #now<T>(ask: (documents: DocumentStore) => T): T {
    const snapshot = this.#snapshot();
    const answer = ask(snapshot.documents);
    void Promise.resolve(answer).then(
      () => snapshot.close(),
      () => snapshot.close(),
    );
    return answer;
  }
}
