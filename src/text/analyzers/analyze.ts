import type { Analyzer } from './analyzer.js';
import { tokensOf } from './find-tokens.js';

/**
 * The terms of a text, in order.
 *
 * @example
 * analyze(englishAnalyzer, "The dogs' running"); // ['dog', 'run']
 */
export function analyze(analyzer: Analyzer, text: string): string[] {
  const prepared = analyzer.prepare(text);
  const spans = tokensOf(analyzer, prepared);
  const terms: string[] = [];
  for (let i = 0; i < spans.count; i++) {
    const term = analyzer.term(prepared.slice(spans.starts[i], spans.ends[i]));
    if (term !== undefined) terms.push(term);
  }
  return terms;
}
