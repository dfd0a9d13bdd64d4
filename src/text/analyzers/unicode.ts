import type { Analyzer } from './analyzer.js';
import { scanWords } from './word-scanner.js';

/** Any language whose words are written apart: UAX #29 words in lower case, nothing dropped, nothing stemmed. */
export const unicodeAnalyzer: Analyzer = {
  language: 'unicode',
  prepare: (text) => text,
  findTokens: scanWords,
  term: (token) => token.toLowerCase(),
};
