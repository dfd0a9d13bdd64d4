import type { Bm25Index, WeightedQuery } from '../../index/bm25/index.js';
import { PostingsCursor } from '../../index/bm25/postings/postings-cursor.js';
import { bm25, PartTable, roundWeights, type Similarity } from '../../index/bm25/similarity.js';
import { NOT_FOUND } from '../../index/bm25/term-dictionary.js';
import { analyze } from '../../text/analyzers/index.js';
import type { ScorePart } from './retriever.js';

export type TermScore = NonNullable<ScorePart['terms']>[number];

/** Says what each term of a query gave to a document's BM25 score; the parts add up to it exactly. */
export class Bm25Explainer {
  readonly #index: Bm25Index;
  readonly #similarity: Similarity;
  readonly #cursor: PostingsCursor;

  constructor(index: Bm25Index, similarity: Similarity = bm25()) {
    this.#index = index;
    this.#similarity = similarity;
    // Bounds of blocks are for pruning only.
    this.#cursor = new PostingsCursor(
      index,
      new PartTable(similarity, index.statistics),
      new Float32Array(0),
    );
  }

  /** The terms that the document has, those that gave most first. */
  explain(query: string, document: number): TermScore[] {
    const found = this.#weigh(this.parse(query));
    return found
      .flatMap(({ term, number, weight }) => {
        this.#cursor.open(number);
        this.#cursor.advance(document);
        return this.#cursor.document === document ? [{ term, score: weight * this.#cursor.part() }] : [];
      })
      .sort((a, b) => b.score - a.score);
  }

  /** How much each term of a query that the collection has counts there. */
  weights(query: string): Map<string, number> {
    return new Map(this.#weigh(this.parse(query)).map(({ term, weight }) => [term, weight]));
  }

  parse(query: string): WeightedQuery {
    const terms = new Map<string, number>();
    for (const term of analyze(this.#index.analyzer, query)) terms.set(term, (terms.get(term) ?? 0) + 1);
    return terms;
  }

  #weigh(query: WeightedQuery): { term: string; number: number; weight: number }[] {
    const { terms: dictionary, statistics } = this.#index;
    const found = [...query]
      .map(([term, times]) => ({ term, times, number: dictionary.find(term) }))
      .filter(({ number }) => number !== NOT_FOUND);
    const weights = Float64Array.from(
      found,
      ({ number, times }) =>
        times * this.#similarity.weight(dictionary.documentFrequency(number), statistics),
    );
    roundWeights(weights);
    return found.map(({ term, number }, i) => ({ term, number, weight: weights[i] }));
  }
}
