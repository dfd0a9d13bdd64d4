import type { Analyzer } from './analyzer.js';
import { CharacterClass, characterClass } from './character-class.js';
import { type CodeUnits, codePointAt, widthAt } from './code-units.js';
import { TokenSpans } from './token-spans.js';
import { scanWords } from './word-scanner.js';

/** Lucene's stop words for Chinese, Japanese and Korean: English ones, for the Latin words in the text. */
const STOP_WORDS = new Set(
  (
    'a and are as at be but by for if in into is it no not of on or s such t ' +
    'that the their then there these they this to was will with www'
  ).split(' '),
);

/** Full-width Latin and half-width Katakana and Hangul. */
const OTHER_WIDTH = /[\uff01-\uffdc]/;
const HANGUL = /\p{Script=Hangul}/u;

/**
 * Chinese, Japanese and Korean as Lucene's CJKAnalyzer does it: every two neighbouring characters of a run of
 * Han, Hiragana, Katakana or Hangul make a term (a lone one is its own term), other words are in lower case.
 */
export const cjkAnalyzer: Analyzer = {
  language: 'cjk',
  prepare: (text) => (OTHER_WIDTH.test(text) ? text.normalize('NFKC') : text),
  findTokens(text, spans) {
    scanWords(text, words);
    spans.count = 0;
    for (let i = 0; i < words.count; ) {
      const start = words.starts[i];
      let end = words.ends[i++];
      if (!isCjk(text, start)) {
        spans.add(start, end);
        continue;
      }
      while (i < words.count && words.starts[i] === end && isCjk(text, end)) end = words.ends[i++];
      addBigrams(text, start, end, spans);
    }
  },
  term(token) {
    const word = token.toLowerCase();
    return STOP_WORDS.has(word) ? undefined : word;
  },
};

const words = new TokenSpans();

function isCjk(text: CodeUnits, at: number): boolean {
  const found = characterClass(codePointAt(text, at));
  if (found === CharacterClass.Letter)
    return text[at] >= 0x1100 && HANGUL.test(String.fromCharCode(text[at]));
  return (
    found === CharacterClass.Han || found === CharacterClass.Hiragana || found === CharacterClass.Katakana
  );
}

function addBigrams(text: CodeUnits, start: number, end: number, spans: TokenSpans): void {
  let first = start;
  let second = nextCharacter(text, first, end);
  if (second >= end) {
    spans.add(start, end);
    return;
  }
  while (second < end) {
    const after = nextCharacter(text, second, end);
    spans.add(first, after);
    first = second;
    second = after;
  }
}

/** Where the next character starts: after the code point and the marks that belong to it. */
function nextCharacter(text: CodeUnits, at: number, end: number): number {
  let next = at + widthAt(text, at);
  while (next < end && characterClass(codePointAt(text, next)) === CharacterClass.Extend) next++;
  return next;
}
