import { type Analyzer, tokensOf } from '../../text/analyzers/index.js';
import type { PieceWords } from '../../text/piece-words.js';

/** A term of a text, as an index knows it, and the token that its weight is taken from. */
export interface TermAt {
  term: string;
  /** The first piece of the word in which the term begins. */
  token: number;
}

/** Languages that write words apart; the others' characters stand side by side. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

/**
 * The terms that an analyzer finds in tokens, in order: stemmed, stop words left out. A term that goes over several words,
 * as those of Chinese do, belongs to its first.
 */
export function termsAt(ids: ArrayLike<number>, words: PieceWords, analyzer: Analyzer): TermAt[] {
  const starts: number[] = [];
  const tokens: number[] = [];
  let text = '';
  for (const { text: word, first } of words.of(ids)) {
    if (text !== '' && !(UNSPACED.test(text) && UNSPACED.test(word))) text += ' ';
    starts.push(text.length);
    tokens.push(first);
    text += word;
  }
  const prepared = analyzer.prepare(text);
  const spans = tokensOf(analyzer, prepared);
  const found: TermAt[] = [];
  let word = 0;
  for (let i = 0; i < spans.count; i++) {
    while (word + 1 < starts.length && starts[word + 1] <= spans.starts[i]) word++;
    const term = analyzer.term(prepared.slice(spans.starts[i], spans.ends[i]));
    if (term !== undefined) found.push({ term, token: tokens[word] });
  }
  return found;
}
