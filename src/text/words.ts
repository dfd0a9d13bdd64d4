import type { TextSpan } from './sentences.js';
import { UNSPACED } from './unspaced.js';

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
/** The segmenter's time grows with the square of a run without spaces, so it gets a clause at a time. */
const CLAUSE = /[^\p{P}\s]{1,500}|[\p{P}\s]+/gu;
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’._-][\p{L}\p{N}\p{M}]+)*/gu;

/**
 * The words of a text in any language, without punctuation: those of Chinese, Japanese, Thai and the like, written without
 * spaces, by Unicode's dictionaries.
 *
 * @example
 * wordSpans("Don't stop").length; // 2
 */
export function wordSpans(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { index, 0: run } of text.matchAll(/\S+/g)) {
    if (!UNSPACED.test(run)) {
      for (const { index: at, 0: word } of run.matchAll(WORD)) {
        spans.push({ start: index + at, end: index + at + word.length });
      }
      continue;
    }
    for (const { index: at, 0: clause } of run.matchAll(CLAUSE)) {
      for (const { index: inner, segment, isWordLike } of segmenter.segment(clause)) {
        const start = index + at + inner;
        if (isWordLike) spans.push({ start, end: start + segment.length });
      }
    }
  }
  return spans;
}
