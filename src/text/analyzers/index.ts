import { NearmissError } from '../../base/errors.js';
import { type Analyzer, LANGUAGES, type Language } from './analyzer.js';
import { cjkAnalyzer } from './cjk.js';
import { englishAnalyzer } from './english.js';
import { unicodeAnalyzer } from './unicode.js';

export { analyze } from './analyze.js';
export { type Analyzer, LANGUAGES, type Language } from './analyzer.js';
export { cjkAnalyzer } from './cjk.js';
export { CodeUnitBuffer, type CodeUnits } from './code-units.js';
export { englishAnalyzer } from './english.js';
export { tokensOf } from './find-tokens.js';
export { porterStem } from './porter.js';
export { TokenSpans } from './token-spans.js';
export { unicodeAnalyzer } from './unicode.js';
export { scanWords } from './word-scanner.js';

const ANALYZERS: Record<Language, Analyzer> = {
  en: englishAnalyzer,
  unicode: unicodeAnalyzer,
  cjk: cjkAnalyzer,
};

/** The analyzer of a language: `en`, `cjk`, or `unicode` for any other. */
export function analyzerFor(language: string): Analyzer {
  if (!Object.hasOwn(ANALYZERS, language)) {
    throw new NearmissError(
      `language: expected one of ${LANGUAGES.join(', ')}, got ${JSON.stringify(language)}`,
      {
        hint: 'use "unicode" for a language that has no analyzer of its own',
      },
    );
  }
  return ANALYZERS[language as Language];
}
