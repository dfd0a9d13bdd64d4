import { type Ranked, TopK } from '../../base/top-k.js';
import type { PostingsCursor } from './postings/postings-cursor.js';
import { type ScoreWindow, WINDOW_SIZE } from './score-window.js';

/** One term of a query, with its cursor on the first posting. */
export interface QueryTerm {
  cursor: PostingsCursor;
  weight: number;
}

export interface SearchOptions {
  k: number;
  /** Documents in the index. */
  documents: number;
  /** False scores every posting; the result is the same. */
  prune: boolean;
  /** Reused from query to query; empty before and after. */
  window: ScoreWindow;
}

/**
 * Top-k by block-max MaxScore (Turtle & Flood 1995; Ding & Suel 2011), window by window. In each window the terms
 * whose greatest possible scores together cannot beat the k-th best so far are not essential: a document that has
 * only those is never looked at, and they are looked up only for documents that the essential terms leave
 * in the race. Scores add up exactly (similarity.ts), so the result equals that of scoring everything.
 */
export function searchTopK(terms: QueryTerm[], options: SearchOptions): Ranked {
  const search = new MaxScoreSearch(terms, options);
  for (let start = 0; start < options.documents; start += WINDOW_SIZE) search.visit(start);
  return search.best.ranked();
}

class MaxScoreSearch {
  readonly best: TopK;
  readonly #options: SearchOptions;
  readonly #window: ScoreWindow;
  /** In ascending order of their bounds in the window. */
  readonly #terms: QueryTerm[];
  readonly #bounds: Float64Array;
  /** `#reach[i]`: the most that terms 0 to i can score together. */
  readonly #reach: Float64Array;

  constructor(terms: QueryTerm[], options: SearchOptions) {
    this.best = new TopK(options.k);
    this.#options = options;
    this.#window = options.window;
    this.#terms = [...terms];
    this.#bounds = new Float64Array(terms.length);
    this.#reach = new Float64Array(terms.length);
  }

  visit(start: number): void {
    this.#window.moveTo(start, this.#options.documents);
    const firstEssential = this.#options.prune ? this.#partition() : 0;
    if (firstEssential === this.#terms.length) return;
    for (let i = firstEssential; i < this.#terms.length; i++) {
      const { cursor, weight } = this.#terms[i];
      cursor.advance(start);
      cursor.addTo(this.#window, weight);
    }
    this.#collect(firstEssential);
  }

  /** Orders the terms by their bounds in the window and returns the place of the first essential one. */
  #partition(): number {
    const { start, end } = this.#window;
    const terms = this.#terms;
    const bounds = this.#bounds;
    for (let i = 0; i < terms.length; i++) {
      const term = terms[i];
      const bound = term.weight * term.cursor.maxPart(start, end);
      let at = i;
      for (; at > 0 && bounds[at - 1] > bound; at--) {
        bounds[at] = bounds[at - 1];
        terms[at] = terms[at - 1];
      }
      bounds[at] = bound;
      terms[at] = term;
    }
    const { threshold } = this.best;
    let sum = 0;
    let firstEssential = 0;
    for (let i = 0; i < terms.length; i++) {
      sum += bounds[i];
      this.#reach[i] = sum;
      if (sum <= threshold) firstEssential = i + 1;
    }
    return firstEssential;
  }

  /** Offers every scored document of the window and empties the window. */
  #collect(firstEssential: number): void {
    const { start, scores, seen } = this.#window;
    let { threshold } = this.best;
    for (let word = 0; word < seen.length; word++) {
      for (let bits = seen[word]; bits !== 0; bits &= bits - 1) {
        const place = (word << 5) | (31 - Math.clz32(bits & -bits));
        const score = this.#complete(start + place, scores[place], firstEssential, threshold);
        scores[place] = 0;
        if (score > threshold) {
          this.best.push(start + place, score);
          threshold = this.best.threshold;
        }
      }
      seen[word] = 0;
    }
  }

  /** Adds what the terms that are not essential score, and gives up as soon as the threshold is out of reach. */
  #complete(document: number, essentialScore: number, firstEssential: number, threshold: number): number {
    let score = essentialScore;
    for (let i = firstEssential - 1; i >= 0; i--) {
      if (score + this.#reach[i] <= threshold) return score;
      const { cursor, weight } = this.#terms[i];
      cursor.advance(document);
      if (cursor.document === document) score += weight * cursor.part();
    }
    return score;
  }
}
