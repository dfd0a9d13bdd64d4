import { NearmissError } from '../base/errors.js';
import type { Qrels } from '../data/dataset.js';
import type { PositivesOf } from './sampler.js';

const NO_DOCUMENTS = new Int32Array(0);

/** Whatever numbers ids: an IdTable, a token cache. */
export interface IdNumbers {
  /** The id's number, or −1. */
  indexOf(id: string): number;
}

/** The queries and documents of a collection by number. */
export interface CollectionIds {
  /** The training queries. */
  queries: IdNumbers;
  documents: IdNumbers;
}

/** The relevant documents of each query, by number. */
export class Positives {
  readonly #rows = new Map<number, Int32Array>();

  /**
   * Judgments above grade 0 of the queries that are to be trained on.
   *
   * @example
   * const positives = Positives.fromQrels(await dataset.qrels('train'), { queries, documents });
   * positives.of(0); // Int32Array [2]
   */
  static fromQrels(qrels: Qrels, { queries, documents }: CollectionIds): Positives {
    const positives = new Positives();
    for (const [queryId, judged] of qrels) {
      const query = queries.indexOf(queryId);
      if (query < 0) continue;
      const relevant = [...judged].filter(([, grade]) => grade > 0);
      positives.add(
        query,
        relevant.map(([id]) =>
          documentNumber(id, documents, `judgments of query ${JSON.stringify(queryId)}`),
        ),
      );
    }
    return positives;
  }

  /** Declares more documents relevant to a query. */
  add(query: number, documents: Iterable<number>): void {
    this.#rows.set(query, Int32Array.from(new Set([...this.of(query), ...documents])).sort());
  }

  /** The relevant documents of a query, ascending; can be passed on without its object. */
  readonly of: PositivesOf = (query) => this.#rows.get(query) ?? NO_DOCUMENTS;
}

/** The number of a document that a file names. */
export function documentNumber(id: string, documents: IdNumbers, where: string): number {
  const number = documents.indexOf(id);
  if (number >= 0) return number;
  throw new NearmissError(`${where}: the collection has no document ${JSON.stringify(id)}`, {
    hint: 'was the file made on another collection? "nearmiss data validate" names all such places',
  });
}
