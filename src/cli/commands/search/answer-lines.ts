import { createInterface } from 'node:readline';
import { NearmissError, shorten } from '../../../base/errors.js';
import { printable, printableLines } from '../../../base/printable.js';
import type { Searcher } from '../../../search/searcher.js';
import { type AnswerSettings, answer } from './answer.js';
import { bold, type Style } from './style.js';

export interface AnswerLinesOptions {
  searcher: Searcher;
  settings: AnswerSettings;
  style: Style;
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Where what went wrong is told. */
  errors: NodeJS.WritableStream;
}

/**
 * Answers every line of a pipe as a query, whatever it starts with; blank lines ask nothing. One that fails is told, and
 * the next is answered all the same.
 *
 * @returns how many failed
 */
export async function answerLines(options: AnswerLinesOptions): Promise<number> {
  const { searcher, settings, style, input, output, errors } = options;
  let failed = 0;
  let gap = '';
  for await (const line of createInterface({ input })) {
    const query = line.trim();
    if (query === '') continue;
    try {
      const { output: found } = await answer(searcher, query, settings, style);
      // JSON says itself what was asked.
      output.write(settings.json ? found : `${gap}${bold(printable(query), style)}\n${found}`);
      gap = '\n';
    } catch (error) {
      if (!(error instanceof NearmissError)) throw error;
      failed++;
      const hint = error.hint ? `  → ${error.hint}\n` : '';
      errors.write(printableLines(`nearmiss: "${printable(shorten(query))}": ${error.message}\n${hint}`));
    }
  }
  return failed;
}
