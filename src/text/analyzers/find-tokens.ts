import type { Analyzer } from './analyzer.js';
import { CodeUnitBuffer } from './code-units.js';
import { TokenSpans } from './token-spans.js';

/** Of longer texts the buffers are not kept: one of many megabytes would stay in memory for ever. */
const KEPT_CHARACTERS = 4096;

const kept = { units: new CodeUnitBuffer(), spans: new TokenSpans() };

/**
 * The tokens of a prepared text, until those of the next are asked for: texts as short as queries, titles and snippets
 * share their buffers, because a server looks at dozens of them for each request.
 */
export function tokensOf(analyzer: Analyzer, prepared: string): Readonly<TokenSpans> {
  const { units, spans } =
    prepared.length <= KEPT_CHARACTERS ? kept : { units: new CodeUnitBuffer(), spans: new TokenSpans() };
  analyzer.findTokens(units.read(prepared), spans);
  return spans;
}
