import type { Ranked } from '../../base/top-k.js';
import type { Bm25Index } from './bm25-index.js';
import { expandRm3, type Rm3Options } from './rm3.js';
import { Bm25Searcher } from './searcher.js';
import { type Bm25Parameters, bm25, tfIdf } from './similarity.js';

/** How documents are scored, in a form that can be sent to a thread or written to a file. */
export type Scoring = ({ model?: 'bm25' } & Bm25Parameters) | { model: 'tfidf' };

export interface RankOptions {
  /** Documents a query. */
  k: number;
  /** Default BM25 with the index's own k1 and b, or 0.9 and 0.4. */
  scoring?: Scoring;
  /** Expands queries first, where given; the index must have been built with vectors. */
  rm3?: Rm3Options;
}

/** Ranks for any scoring, keeping what it prepared for the last one. */
export class Bm25Ranker {
  readonly #index: Bm25Index;
  #scoring = '';
  #searcher: Bm25Searcher | undefined;

  constructor(index: Bm25Index) {
    this.#index = index;
  }

  /** The best documents for a text, by number. */
  rank(text: string, { k, scoring = {}, rm3 }: RankOptions): Ranked {
    const searcher = this.searcher(scoring);
    return rm3 ? searcher.searchTerms(expandRm3(searcher, text, rm3), k) : searcher.search(text, k);
  }

  searcher(scoring: Scoring): Bm25Searcher {
    const key = JSON.stringify(scoring);
    if (this.#searcher === undefined || key !== this.#scoring) {
      const similarity = scoring.model === 'tfidf' ? tfIdf() : bm25(this.#parameters(scoring));
      this.#searcher = new Bm25Searcher(this.#index, { similarity });
      this.#scoring = key;
    }
    return this.#searcher;
  }

  #parameters({ k1, b }: Bm25Parameters): Bm25Parameters {
    const { parameters } = this.#index.meta;
    return { k1: k1 ?? parameters?.k1, b: b ?? parameters?.b };
  }
}
