import type { CodeUnits } from './code-units.js';
import type { TokenSpans } from './token-spans.js';

/**
 * Turns text into the terms of a sparse index in two stages: where the tokens are, and which term a token
 * stands for. The second depends on nothing but the token, so an indexer looks it up instead of repeating it.
 */
export interface Analyzer {
  /** What an index records, e.g. `en`. */
  readonly language: Language;
  /** The text in which {@link findTokens} looks, e.g. with half-width characters made full; mostly the text itself. */
  prepare(text: string): string;
  /** Replaces `spans` by those of a prepared text. */
  findTokens(text: CodeUnits, spans: TokenSpans): void;
  /** The term of a token; undefined where it is not indexed (a stop word). */
  term(token: string): string | undefined;
}

export const LANGUAGES = ['en', 'unicode', 'cjk'] as const;

export type Language = (typeof LANGUAGES)[number];
