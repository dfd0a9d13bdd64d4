import type { Ranked } from '../../base/top-k.js';
import { Turn } from '../../base/turn.js';
import type { Bm25Index } from '../../index/bm25/index.js';
import { Bm25SearchPool } from '../../index/bm25/search-pool.js';
import { Batcher } from '../batching/batcher.js';
import { checkK } from '../check-search.js';
import { fetchHits, type NumberedHit } from '../fetch-hits.js';
import type { FilteredDocuments } from '../filter/filtered-documents.js';
import { ranked } from '../hits.js';
import type { QueryWords } from '../snippet/query-words.js';
import { Bm25Explainer } from './bm25-explain.js';
import type { Hit, RetrieveOptions, Retriever } from './retriever.js';

export interface Bm25RetrieverOptions {
  index: Bm25Index;
  filters: FilteredDocuments;
  /** From 2 on, searching leaves the calling thread free. Default 1. */
  threads?: number;
}

interface Item {
  query: string;
  n: number;
}

/** Queries searched in one go; progress is told after each. */
const QUERIES_AT_ONCE = 1024;
/** Characters of the queries in a batch, which is as long as somebody with one query waits for others at most. */
const CHARACTERS_AT_ONCE = 32_768;
/** Short queries, too, take their time. */
const LEAST_CHARACTERS = 32;

/** Finds documents by their words. */
export class Bm25Retriever implements Retriever {
  readonly mode = 'bm25';
  readonly index: Bm25Index;
  readonly #filters: FilteredDocuments;
  readonly #explainer: Bm25Explainer;
  readonly #pool: Bm25SearchPool;
  /** The pool takes one call at a time. */
  readonly #batcher: Batcher<Item, Ranked>;

  constructor({ index, filters, threads = 1 }: Bm25RetrieverOptions) {
    this.index = index;
    this.#filters = filters;
    this.#explainer = new Bm25Explainer(index);
    this.#pool = new Bm25SearchPool(index, { threads });
    this.#batcher = new Batcher({
      budget: CHARACTERS_AT_ONCE,
      cost: ({ query }) => Math.max(LEAST_CHARACTERS, query.length),
      key: ({ n }) => n,
      run: (items) =>
        this.#pool.search(
          items.map(({ query }) => query),
          { k: items[0].n },
        ),
    });
  }

  get words(): QueryWords {
    return this.#explainer;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, explain, onDone, signal } = options;
    checkK(k);
    const allowed = await this.#filters.allowed(options.filter, signal);
    const results: Hit[][] = [];
    for (let start = 0; start < queries.length; start += QUERIES_AT_ONCE) {
      const part = queries.slice(start, start + QUERIES_AT_ONCE);
      const found = await fetchHits({
        queries: part.length,
        k,
        total: this.index.documents,
        allowed,
        idOf: (number) => this.index.documentId(number),
        fetch: (wanted, n) =>
          this.#batcher.addAll(
            wanted.map((i) => ({ query: part[i], n })),
            { signal },
          ),
        signal,
      });
      for (const [i, hits] of found.entries()) {
        results.push(ranked(explain ? await this.#explained(part[i], hits, signal) : hits.map(plain)));
      }
      onDone?.(part.length);
    }
    return results;
  }

  async close(): Promise<void> {
    this.#batcher.close();
    await this.#pool.close();
  }

  /** A thousand hits by hundreds of words take seconds: others get their turn between them. */
  async #explained(query: string, hits: readonly NumberedHit[], signal?: AbortSignal): Promise<Hit[]> {
    const turn = await Turn.begin(signal);
    const termsOf = this.#explainer.of(query);
    const explained: Hit[] = [];
    for (const { number, id, score } of hits) {
      explained.push({ id, score, parts: [{ name: this.mode, score, terms: termsOf(number) }] });
      if (turn.isOver) await turn.next(signal);
    }
    return explained;
  }
}

function plain({ id, score }: NumberedHit): Hit {
  return { id, score };
}
