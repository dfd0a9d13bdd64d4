import type { Qrels } from '../data/dataset.js';
import type { IdTable } from '../data/id-table.js';

const NO_DOCUMENTS = new Int32Array(0);

/**
 * The relevant documents of each query, by number.
 *
 * @example
 * const positives = Positives.fromQrels(await dataset.qrels('train'), { queries, documents });
 * positives.of(0); // Int32Array [17, 204]
 */
export class Positives {
  readonly queryCount: number;
  /** Judged relevant, but not in the collection. */
  readonly missing: number;
  readonly #rows: readonly Int32Array[];

  constructor(rows: readonly Int32Array[], missing = 0) {
    this.#rows = rows.map((row) => Int32Array.from(row).sort());
    this.queryCount = rows.length;
    this.missing = missing;
  }

  /** Relevant is whatever has a grade above 0. */
  static fromQrels(qrels: Qrels, ids: { queries: readonly string[]; documents: IdTable }): Positives {
    let missing = 0;
    const rows = ids.queries.map((query) => {
      const relevant = [...(qrels.get(query) ?? [])].filter(([, grade]) => grade > 0);
      const documents = relevant.map(([id]) => ids.documents.indexOf(id)).filter((number) => number >= 0);
      missing += relevant.length - documents.length;
      return documents.length > 0 ? Int32Array.from(documents) : NO_DOCUMENTS;
    });
    return new Positives(rows, missing);
  }

  /** The relevant documents of a query, ascending; can be passed on without its object. */
  readonly of = (query: number): Int32Array => this.#rows[query] ?? NO_DOCUMENTS;
}
