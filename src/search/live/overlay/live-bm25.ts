import { Turn } from '../../../base/turn.js';
import type { Document } from '../../../data/index.js';
import { bm25 } from '../../../index/bm25/similarity.js';
import { checkK } from '../../check-search.js';
import { ranked } from '../../hits.js';
import type { Bm25Retriever } from '../../retrievers/bm25-retriever.js';
import type { LiveCorpus, LiveMode } from '../../retrievers/open-mode.js';
import type { Hit, RetrieveOptions, Retriever } from '../../retrievers/retriever.js';
import type { QueryWords } from '../../snippet/query-words.js';
import { allowedSlots, bestLiveHits, mergeHits } from './live-hits.js';
import { LiveTerms } from './live-terms.js';
import type { OverlayState } from './overlay.js';

/** Word search over documents that change: the added ones' terms are kept beside the base's index. */
export class LiveBm25 implements LiveMode {
  readonly #base: Bm25Retriever;
  readonly #terms: LiveTerms;

  constructor(base: Bm25Retriever) {
    this.#base = base;
    this.#terms = new LiveTerms(base.index, bm25(base.index.meta.parameters));
  }

  add(slot: number, document: Document): void {
    this.#terms.add(slot, document);
  }

  words(writes: OverlayState): QueryWords {
    const { analyzer } = this.#terms;
    return { analyzer, weights: (query) => this.#terms.weights(query, writes) };
  }

  retriever({ writes }: LiveCorpus): Retriever {
    return new LiveBm25Retriever(this.#base, this.#terms, writes);
  }
}

/** Finds base and added documents by their words. */
class LiveBm25Retriever implements Retriever {
  readonly mode = 'bm25';
  readonly #base: Retriever;
  readonly #terms: LiveTerms;
  readonly #writes: OverlayState;

  constructor(base: Retriever, terms: LiveTerms, writes: OverlayState) {
    this.#base = base;
    this.#terms = terms;
    this.#writes = writes;
  }

  async search(queries: readonly string[], options: RetrieveOptions): Promise<Hit[][]> {
    const { k, filter, explain, onDone, signal } = options;
    checkK(k);
    const writes = this.#writes;
    const allowed = allowedSlots(filter, writes);
    const turn = await Turn.begin(signal);
    const live: Hit[][] = [];
    for (const query of queries) {
      const scored = this.#terms.score(query, writes);
      const hits = await bestLiveHits(scored, { k, writes, allowed, turn, signal });
      const termsOf = explain ? this.#terms.explainer(query, writes) : undefined;
      const found: Hit[] = [];
      for (const { id, score, slot } of hits) {
        found.push(
          termsOf ? { id, score, parts: [{ name: this.mode, score, terms: termsOf(slot) }] } : { id, score },
        );
        if (turn.isOver) await turn.next(signal);
      }
      live.push(found);
      // Others get their turn between the queries of a long list.
      if (turn.isOver) await turn.next(signal);
    }
    const merged = await mergeHits({
      k,
      writes,
      live,
      fetch: (wanted, n) =>
        this.#base.search(
          wanted.map((i) => queries[i]),
          { k: n, filter, explain, signal },
        ),
      signal,
    });
    onDone?.(queries.length);
    return merged.map(ranked);
  }

  async close(): Promise<void> {}
}
