import type { Bm25Index } from '../../index/bm25/index.js';
import { PostingsCursor } from '../../index/bm25/postings/postings-cursor.js';
import { countTerms, type IndexedTerm, weighQuery } from '../../index/bm25/query-terms.js';
import { bm25, PartTable, type Similarity } from '../../index/bm25/similarity.js';
import { type Analyzer, analyze } from '../../text/analyzers/index.js';
import { inOrder, type TermMatch } from '../explain/term-matches.js';
import type { QueryWords } from '../snippet/query-words.js';

/** Says what each term of a query gave to a document's BM25 score; the parts add up to it exactly. */
export class Bm25Explainer implements QueryWords {
  readonly #index: Bm25Index;
  readonly #similarity: Similarity;
  readonly #cursor: PostingsCursor;

  constructor(index: Bm25Index, similarity: Similarity = bm25(index.meta.parameters)) {
    this.#index = index;
    this.#similarity = similarity;
    // Bounds of blocks are for pruning only.
    this.#cursor = new PostingsCursor(
      index,
      new PartTable(similarity, index.statistics),
      new Float32Array(0),
    );
  }

  get analyzer(): Analyzer {
    return this.#index.analyzer;
  }

  /** What explains one document after another: the query is looked at once. */
  of(query: string): (document: number) => TermMatch[] {
    const terms = this.#weigh(query);
    return (document) => {
      const scores = terms.flatMap(({ term, number, weight }) => {
        this.#cursor.open(number);
        this.#cursor.advance(document);
        return this.#cursor.document === document ? [{ term, score: weight * this.#cursor.part() }] : [];
      });
      return inOrder(scores);
    };
  }

  weights(query: string): Map<string, number> {
    return new Map(this.#weigh(query).map(({ term, weight }) => [term, weight]));
  }

  #weigh(query: string): IndexedTerm[] {
    return weighQuery(countTerms(analyze(this.analyzer, query)), this.#index, this.#similarity);
  }
}
