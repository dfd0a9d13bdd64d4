import type { Analyzer } from './analyzer.js';
import { porterStem } from './porter.js';
import { scanWords } from './word-scanner.js';

/** Lucene's English stop words. */
const STOP_WORDS = new Set(
  (
    'a an and are as at be but by for if in into is it no not of on or such ' +
    'that the their then there these they this to was will with'
  ).split(' '),
);

const POSSESSIVE = /['\u2019\uff07][sS]$/;

/**
 * English as Lucene's EnglishAnalyzer and Anserini's default do it: UAX #29 words, without possessive 's, in
 * lower case, without 33 stop words, stemmed by Porter's algorithm.
 */
export const englishAnalyzer: Analyzer = {
  language: 'en',
  prepare: (text) => text,
  findTokens: scanWords,
  term(token) {
    const word = token.replace(POSSESSIVE, '').toLowerCase();
    return STOP_WORDS.has(word) ? undefined : porterStem(word);
  },
};
