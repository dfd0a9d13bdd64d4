import type { Ranked } from '../../base/top-k.js';
import { analyze } from '../../text/analyzers/index.js';
import type { Bm25Index } from './bm25-index.js';
import { BLOCK_ROW } from './layout.js';
import { searchTopK } from './max-score.js';
import { impactFrequency, impactLengthCode } from './postings/impacts.js';
import { PostingsCursor } from './postings/postings-cursor.js';
import { countTerms, type WeightedQuery, weighQuery } from './query-terms.js';
import { ScoreWindow } from './score-window.js';
import { bm25, PartTable, type Similarity } from './similarity.js';

export interface SearcherOptions {
  /** Default BM25 with the index's own k1 and b, or 0.9 and 0.4. */
  similarity?: Similarity;
  /** False scores every posting: the same results, slower; there to check that. Default true. */
  prune?: boolean;
}

/**
 * Searches an index in one thread.
 *
 * @example
 * const searcher = new Bm25Searcher(await openBm25Index('indexes/scifact'));
 * const { ids, scores } = searcher.search('vitamin D and bone density', 10);
 * console.log(ids.length, searcher.index.documentId(ids[0]), scores[0]);
 */
export class Bm25Searcher {
  readonly index: Bm25Index;
  readonly similarity: Similarity;
  readonly #prune: boolean;
  readonly #table: PartTable;
  readonly #blockMaxima: Float32Array;
  readonly #window = new ScoreWindow();
  readonly #cursors: PostingsCursor[] = [];

  constructor(index: Bm25Index, options: SearcherOptions = {}) {
    this.index = index;
    this.similarity = options.similarity ?? bm25(index.meta.parameters);
    this.#prune = options.prune ?? true;
    this.#table = new PartTable(this.similarity, index.statistics);
    this.#blockMaxima = blockMaxima(index, this.#table);
  }

  /**
   * The best k documents for a text, by number, best first; equal scores in indexing order. Documents without any
   * of its terms are not found, so there may be fewer than k.
   */
  search(text: string, k: number): Ranked {
    return this.searchTerms(this.parse(text), k);
  }

  /** The terms of a text, each as often as it occurs. */
  parse(text: string): WeightedQuery {
    return countTerms(analyze(this.index.analyzer, text));
  }

  /** The best k documents for weighted terms; each term's score is multiplied by its weight. */
  searchTerms(query: WeightedQuery, k: number): Ranked {
    const terms = weighQuery(query, this.index, this.similarity).map(({ number, weight }, i) => {
      const cursor = this.#cursor(i);
      cursor.open(number);
      return { cursor, weight };
    });
    return searchTopK(terms, {
      k,
      documents: this.index.documents,
      prune: this.#prune,
      window: this.#window,
    });
  }

  #cursor(i: number): PostingsCursor {
    this.#cursors[i] ??= new PostingsCursor(this.index, this.#table, this.#blockMaxima);
    return this.#cursors[i];
  }
}

/** The greatest part in each block. Parts have 22 bits, so a float holds them exactly. */
function blockMaxima(index: Bm25Index, table: PartTable): Float32Array {
  const { blocks, impacts } = index;
  const maxima = new Float32Array(index.meta.blocks);
  for (let block = 0; block < maxima.length; block++) {
    const row = block * BLOCK_ROW.width + BLOCK_ROW.firstImpact;
    let most = 0;
    for (let i = blocks[row]; i < blocks[row + BLOCK_ROW.width]; i++) {
      const part = table.part(impactFrequency(impacts[i]), impactLengthCode(impacts[i]));
      if (part > most) most = part;
    }
    maxima[block] = most;
  }
  return maxima;
}
