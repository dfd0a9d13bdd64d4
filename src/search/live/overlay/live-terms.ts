import { fullText } from '../../../data/dataset.js';
import type { Document } from '../../../data/index.js';
import { encodeLength } from '../../../index/bm25/document-length.js';
import type { Bm25Index, Similarity } from '../../../index/bm25/index.js';
import { countTerms, type WeightedTerm, weighQuery, weighTerms } from '../../../index/bm25/query-terms.js';
import { PartTable } from '../../../index/bm25/similarity.js';
import { NOT_FOUND } from '../../../index/bm25/term-dictionary.js';
import { type Analyzer, analyze } from '../../../text/analyzers/index.js';
import { inOrder, type TermMatch } from '../../explain/term-matches.js';
import type { ScoredSlots } from './live-hits.js';
import type { OverlayState } from './overlay.js';

interface Postings {
  slots: number[];
  frequencies: number[];
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

  get analyzer(): Analyzer {
    return this.#base.analyzer;
  }

  /** Slots come in ascending order. */
  add(slot: number, document: Document): void {
    const terms = analyze(this.#base.analyzer, fullText(document));
    // Where a model weighed the base's terms, those of added documents count fully until the index is made again.
    const { scale = 1 } = this.#base.meta.weighed ?? {};
    this.#lengthCodes[slot] = encodeLength(terms.length * scale);
    for (const [term, frequency] of countTerms(terms)) {
      const postings = this.#postings.get(term) ?? { slots: [], frequencies: [] };
      postings.slots.push(slot);
      postings.frequencies.push(frequency * scale);
      this.#postings.set(term, postings);
    }
  }

  /** Scores the documents in force that have a term of the query. */
  score(text: string, writes: OverlayState): ScoredSlots {
    const sums = new Float64Array(writes.slots);
    const slots: number[] = [];
    for (const { term, weight } of this.#weigh(text, writes)) {
      const postings = this.#postings.get(term);
      postings?.slots.forEach((slot, i) => {
        if (writes.at(slot) === undefined) return;
        // A part is never 0, so neither is the sum after the first one.
        if (sums[slot] === 0) slots.push(slot);
        sums[slot] += weight * this.#parts.part(postings.frequencies[i], this.#lengthCodes[slot]);
      });
    }
    return { slots, scores: slots.map((slot) => sums[slot]) };
  }

  /** What says of one document after another what each term of the query gives to it. */
  explainer(text: string, writes: OverlayState): (slot: number) => TermMatch[] {
    const terms = this.#weigh(text, writes);
    return (slot) => {
      const scores = terms.flatMap(({ term, weight }) => {
        const postings = this.#postings.get(term);
        const place = postings === undefined ? -1 : placeOf(slot, postings.slots);
        if (postings === undefined || place < 0) return [];
        const part = this.#parts.part(postings.frequencies[place], this.#lengthCodes[slot]);
        return [{ term, score: weight * part }];
      });
      return inOrder(scores);
    };
  }

  /** How much each term of a query counts that the base or the added documents have. */
  weights(text: string, writes: OverlayState): Map<string, number> {
    return new Map(this.#weigh(text, writes).map(({ term, weight }) => [term, weight]));
  }

  /** The query's terms that the base has, then those that only added documents have. */
  #weigh(text: string, writes: OverlayState): WeightedTerm[] {
    const query = countTerms(analyze(this.#base.analyzer, text));
    const added = [...query]
      .filter(([term]) => this.#postings.has(term) && this.#base.terms.find(term) === NOT_FOUND)
      .map(([term, times]) => ({ term, times }));
    const frequency = ({ term }: { term: string }): number =>
      this.#postings.get(term)!.slots.filter((slot) => writes.at(slot)).length;
    const { statistics } = this.#base;
    // Weighed apart, because the base rounds the weights of the terms it knows.
    return [
      ...weighQuery(query, this.#base, this.#similarity),
      ...weighTerms(added, frequency, { similarity: this.#similarity, statistics }),
    ];
  }
}

/** Where a slot stands among slots in ascending order, or −1. */
function placeOf(slot: number, slots: readonly number[]): number {
  let [from, to] = [0, slots.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (slots[middle] < slot) from = middle + 1;
    else to = middle;
  }
  return slots[from] === slot ? from : -1;
}
