import { createHash } from 'node:crypto';
import type { MadePair } from '../examples/index.js';

/** Bytes of a hash that a number holds exactly. */
const HASH_BYTES = 6;
/** In the place of a document's number. */
const SEVERAL = -1;

/** Which queries several documents answer alike, or which were made twice, of all that were made and not of some that were drawn. */
export class AskedQueries {
  /** By the hash of a query the document that answers it, or `SEVERAL`. */
  readonly #answers = new Map<number, number>();

  add({ query, document }: Pick<MadePair, 'query' | 'document'>): void {
    const key = hashOf(query);
    const known = this.#answers.get(key);
    this.#answers.set(key, known === undefined || known === document ? document : SEVERAL);
  }

  /** Those that one document answers, each once. */
  unambiguous<Q extends Pick<MadePair, 'query'>>(queries: readonly Q[]): Q[] {
    const seen = new Set<number>();
    return queries.filter(({ query }) => {
      const key = hashOf(query);
      if (this.#answers.get(key) === SEVERAL || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }
}

function hashOf(query: string): number {
  const same = query.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  return createHash('sha256').update(same).digest().readUIntBE(0, HASH_BYTES);
}
