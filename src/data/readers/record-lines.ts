import { readLineBatches } from '../../base/lines.js';
import { type OnProblem, RecordContext } from '../problem.js';
import type { Located, RecordSource } from '../sources.js';

/** Turns one line into a record, or reports why it cannot. */
export type ParseLine<T> = (text: string, at: RecordContext) => T | undefined;

/** A file with one record a line; blank lines are passed over. */
export function lineSource<T>(file: string, parse: ParseLine<T>): RecordSource<T> {
  return { file, read: (onProblem) => readRecords(file, parse, onProblem) };
}

async function* readRecords<T>(
  file: string,
  parse: ParseLine<T>,
  onProblem: OnProblem,
): AsyncGenerator<Located<T>> {
  const onBrokenUtf8 = ({ line, message, hint }: { line: number; message: string; hint: string }): void =>
    onProblem({ severity: 'error', code: 'broken-utf8', file, line, message, hint });
  for await (const { first, lines } of readLineBatches(file, { onBrokenUtf8 })) {
    for (let i = 0; i < lines.length; i++) {
      if (lines[i].trim() === '') continue;
      const line = first + i;
      const value = parse(lines[i], new RecordContext(file, line, onProblem));
      if (value !== undefined) yield { value, file, line };
    }
  }
}

/** Parses a line that must hold a JSON object. */
export function parseObject(text: string, at: RecordContext): Record<string, unknown> | undefined {
  const value = parseJson(text, at);
  if (value === undefined) return undefined;
  if (isObject(value)) return value;
  return at.error(
    'wrong-type',
    `expected a JSON object, got ${Array.isArray(value) ? 'an array' : typeof value}`,
    {
      hint: 'write one object a line: {"…": …}',
    },
  );
}

/** Parses a line of JSON; undefined after the problem was reported. */
export function parseJson(text: string, at: RecordContext): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return at.error('broken-json', `not valid JSON: ${reason}`, {
      hint: 'each line must be one whole JSON value; line breaks inside texts are written \\n',
    });
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
