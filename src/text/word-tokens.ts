import { wordSpans } from './words.js';

/** A text's tokens, and which of them are one word. */
export interface WordTokens {
  ids: Int32Array;
  /** For each token the number of its word; −1 for special tokens. */
  words: Int32Array;
}

/**
 * Numbers the words that tokens are parts of: pieces of a word together, in Chinese and the like the characters of a word by
 * Unicode's dictionaries, punctuation by itself.
 *
 * @param starts where each token begins in the text, counted in code points
 */
export function numberWords(text: string, starts: readonly number[]): Int32Array {
  const wordAt = wordsOfCodePoints(text);
  const words = new Int32Array(starts.length);
  let last = Number.NaN;
  let number = -1;
  starts.forEach((start, token) => {
    // What belongs to no word is one by itself.
    const word = start < wordAt.length && wordAt[start] >= 0 ? wordAt[start] : -1 - start;
    if (word !== last) number++;
    last = word;
    words[token] = number;
  });
  return words;
}

/** For each code point of a text the number of its word; −1 between words. */
function wordsOfCodePoints(text: string): Int32Array {
  const points = Int32Array.from({ length: [...text].length }, () => -1);
  let [unit, point] = [0, 0];
  for (const [number, { start, end }] of wordSpans(text).entries()) {
    while (unit < start) [unit, point] = next(text, unit, point);
    while (unit < end) {
      points[point] = number;
      [unit, point] = next(text, unit, point);
    }
  }
  return points;
}

function next(text: string, unit: number, point: number): [unit: number, point: number] {
  return [unit + (text.codePointAt(unit)! > 0xffff ? 2 : 1), point + 1];
}
