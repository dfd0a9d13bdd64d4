import { fullText } from '../../../data/dataset.js';
import type { Document } from '../../../data/index.js';
import { encodeLength } from '../../../index/bm25/document-length.js';
import type { Bm25Index, Similarity } from '../../../index/bm25/index.js';
import { PartTable, roundWeights } from '../../../index/bm25/similarity.js';
import { NOT_FOUND } from '../../../index/bm25/term-dictionary.js';
import { type Analyzer, analyze } from '../../../text/analyzers/index.js';
import type { ScoredSlots } from './live-hits.js';
import type { OverlayView } from './overlay.js';

interface Postings {
  slots: number[];
  frequencies: number[];
}

interface WeightedTerm {
  term: string;
  weight: number;
  /** The added documents that have it. */
  postings?: Postings;
}

/**
 * The added documents' terms, scored with the base's statistics: a document that the base holds, too, gets the same
 * score here, bit for bit. The base does not know the frequency of a term that only added documents have; theirs counts.
 */
export class LiveTerms {
  readonly #base: Bm25Index;
  readonly #similarity: Similarity;
  readonly #parts: PartTable;
  readonly #postings = new Map<string, Postings>();
  readonly #lengthCodes: number[] = [];

  constructor(base: Bm25Index, similarity: Similarity) {
    this.#base = base;
    this.#similarity = similarity;
    this.#parts = new PartTable(similarity, base.statistics);
  }

  /** Slots come in ascending order. */
  add(slot: number, document: Document): void {
    const terms = analyze(this.#base.analyzer, fullText(document));
    this.#lengthCodes[slot] = encodeLength(terms.length);
    for (const [term, frequency] of countTerms(terms)) {
      const postings = this.#postings.get(term) ?? { slots: [], frequencies: [] };
      postings.slots.push(slot);
      postings.frequencies.push(frequency);
      this.#postings.set(term, postings);
    }
  }

  /** Scores the documents in force that have a term of the query. */
  score(text: string, view: OverlayView): ScoredSlots {
    const sums = new Float64Array(view.slots);
    const slots: number[] = [];
    for (const { postings, weight } of this.#parse(text, view)) {
      postings?.slots.forEach((slot, i) => {
        if (view.at(slot) === undefined) return;
        // A part is never 0, so neither is the sum after the first one.
        if (sums[slot] === 0) slots.push(slot);
        sums[slot] += weight * this.#parts.part(postings.frequencies[i], this.#lengthCodes[slot]);
      });
    }
    return { slots, scores: slots.map((slot) => sums[slot]) };
  }

  /** What each term of the query gives to a document. */
  explain(text: string, slot: number, view: OverlayView): { term: string; score: number }[] {
    return this.#parse(text, view).flatMap(({ term, weight, postings }) => {
      const place = postings?.slots.indexOf(slot) ?? -1;
      if (postings === undefined || place < 0) return [];
      const part = this.#parts.part(postings.frequencies[place], this.#lengthCodes[slot]);
      return [{ term, score: weight * part }];
    });
  }

  /** How much each term of a query counts that the base or the added documents have. */
  weights(text: string, view: OverlayView): Map<string, number> {
    return new Map(this.#parse(text, view).map(({ term, weight }) => [term, weight]));
  }

  get analyzer(): Analyzer {
    return this.#base.analyzer;
  }

  /** The query's terms that the base or the added documents have. */
  #parse(text: string, view: OverlayView): WeightedTerm[] {
    const counts = [...countTerms(analyze(this.#base.analyzer, text))];
    const isKnown = ([term]: [string, number]): boolean => this.#base.terms.find(term) !== NOT_FOUND;
    const known = counts.filter(isKnown);
    const unknown = counts.filter((each) => !isKnown(each) && this.#postings.has(each[0]));
    // Rounded apart, because the base rounds the weights of the terms it knows.
    return [
      ...this.#weigh(known, (term) => this.#base.terms.documentFrequency(this.#base.terms.find(term))),
      ...this.#weigh(unknown, (term) => {
        return this.#postings.get(term)!.slots.filter((slot) => view.at(slot)).length;
      }),
    ];
  }

  #weigh(counts: [string, number][], frequencyOf: (term: string) => number): WeightedTerm[] {
    const weights = Float64Array.from(
      counts,
      ([term, count]) => count * this.#similarity.weight(frequencyOf(term), this.#base.statistics),
    );
    roundWeights(weights);
    return counts.map(([term], i) => ({ term, weight: weights[i], postings: this.#postings.get(term) }));
  }
}

function countTerms(terms: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
