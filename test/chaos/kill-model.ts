import type { Document } from '../../src/data/index.js';

const GROUPS = 12;
const MEMBERS = ['a', 'b', 'c'];
/** Long enough that a log is written anew at the next start. */
const PADDING = 'near miss '.repeat(300);

/**
 * The writes of live-writer.ts, known beforehand: write n puts or removes the three documents of a group
 * together, so that a part of a write would show.
 */
export class KillModel {
  writes = 0;
  readonly documents = new Map<string, Document>();

  next(): { documents?: Document[]; removed: string[] } {
    const n = ++this.writes;
    const ids = MEMBERS.map((member) => `group${(n * 7) % GROUPS}-${member}`);
    if (n % 5 === 0 && this.documents.has(ids[0])) {
      for (const id of ids) this.documents.delete(id);
      return { removed: ids };
    }
    const documents = ids.map((id) => ({ id, text: `write${n} ${PADDING}`, metadata: { write: n } }));
    for (const document of documents) this.documents.set(document.id, document);
    return { documents, removed: [] };
  }

  /** The documents after the first n writes, or after those of them that were not refused. */
  static after(n: number, isDone: (write: number) => boolean = () => true): Map<string, Document> {
    const model = new KillModel();
    const documents = new Map<string, Document>();
    while (model.writes < n) {
      const { documents: put = [], removed } = model.next();
      if (!isDone(model.writes)) continue;
      for (const document of put) documents.set(document.id, document);
      for (const id of removed) documents.delete(id);
    }
    return documents;
  }
}
