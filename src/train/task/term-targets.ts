import type { TokenizedText } from '../../model/index.js';
import { termsAt } from '../../model/terms/term-spans.js';
import type { Analyzer } from '../../text/analyzers/index.js';
import type { PieceWords } from '../../text/piece-words.js';
import type { WeighedText } from '../step/term-step.js';

/**
 * Term recall (Dai & Callan 2019): a word's target is the share of other texts that have it. Of a passage these are its
 * queries, QTR(t, d); of a query the documents that answer it, TR(t, q). Words are compared by their stems, and all words
 * that no other text has are to weigh 0, stop words among them.
 */
export class TermTargets {
  readonly #words: PieceWords;
  readonly #analyzer: Analyzer;

  constructor(words: PieceWords, analyzer: Analyzer) {
    this.#words = words;
    this.#analyzer = analyzer;
  }

  /** The terms of a text, each once. */
  termsOf({ ids }: TokenizedText): ReadonlySet<string> {
    return new Set(termsAt(ids, this.#words, this.#analyzer).map(({ term }) => term));
  }

  /** A text with its words' targets; undefined where none of them is in any of the others, which teaches nothing. */
  of(text: TokenizedText, others: readonly ReadonlySet<string>[]): WeighedText | undefined {
    const targets = new Float32Array(text.ids.length);
    const asked = new Float32Array(text.ids.length);
    for (const { first } of this.#words.of(text.ids)) asked[first] = 1;
    let some = false;
    for (const { term, token } of termsAt(text.ids, this.#words, this.#analyzer)) {
      const having = others.filter((other) => other.has(term)).length;
      // A word in pieces of an analyzer's (a bigram, a compound) is worth its best one.
      targets[token] = Math.max(targets[token], having / others.length);
      some ||= having > 0;
    }
    return some ? { ...text, targets, asked } : undefined;
  }
}
