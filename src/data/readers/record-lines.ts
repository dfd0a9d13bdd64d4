import { shorten } from '../../base/errors.js';
import { isObject } from '../../base/is-object.js';
import { type LinesOptions, readLineBatches } from '../../base/lines.js';
import { findLostNumber, type LostNumber } from '../../base/numbers/json-numbers.js';
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
  const broken = new BrokenLines(file, onProblem);
  for await (const { first, lines } of readLineBatches(file, broken)) {
    for (let i = 0; i < lines.length; i++) {
      const line = first + i;
      if (lines[i].trim() === '' || broken.has(line)) continue;
      const value = parse(lines[i], new RecordContext(file, line, onProblem));
      if (value !== undefined) yield { value, file, line };
    }
  }
}

/** Tells of the lines that are not UTF-8; a record with one of them has lost letters, and is passed over. */
export class BrokenLines {
  readonly onBrokenUtf8: NonNullable<LinesOptions['onBrokenUtf8']>;
  readonly #lines = new Set<number>();

  constructor(file: string, onProblem: OnProblem) {
    this.onBrokenUtf8 = (place) => {
      this.#lines.add(place.line);
      onProblem({ severity: 'error', code: 'broken-utf8', file, ...place });
    };
  }

  /** Whether one of so many lines from this one on is broken. */
  has(first: number, lines = 1): boolean {
    if (this.#lines.size === 0) return false;
    return Array.from({ length: lines }, (_, i) => first + i).some((line) => this.#lines.has(line));
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

/** Parses a line of JSON whose numbers can all be kept; undefined after the problem was reported. */
export function parseJson(text: string, at: RecordContext): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return at.error('broken-json', `not valid JSON: ${reason}`, {
      hint: 'each line must be one whole JSON value; line breaks inside texts are written \\n',
    });
  }
  const lost = findLostNumber(text);
  return lost ? reportLost(lost, at) : value;
}

/** `metadata.sizes[2]`, as other problems name their fields. */
function fieldName(path: LostNumber['path']): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

function reportLost({ path, literal }: LostNumber, at: RecordContext): undefined {
  const got = shorten(literal);
  return at.error('lost-number', `expected a number that can be kept as it is, got ${got}`, {
    field: fieldName(path),
    hint: `numbers here have 15 digits and end at 1.8e308: write it as a text, "${got}", or round it`,
  });
}

/** A list of numbers as long as the list that they belong to, or nothing at all. */
export function readScores(
  fields: Record<string, unknown>,
  name: string,
  length: number,
  at: RecordContext,
): (number | undefined)[] | undefined {
  const scores = fields[name] ?? [];
  if (!Array.isArray(scores)) return at.wrongType(name, 'a list of numbers', scores);
  if (scores.length !== 0 && scores.length !== length) {
    return at.error('wrong-length', `expected ${length} scores, got ${scores.length}`, {
      field: name,
      hint: 'give one score for each text, or leave the field out',
    });
  }
  const wrong = scores.findIndex((score) => typeof score !== 'number');
  if (wrong >= 0) return at.wrongType(`${name}[${wrong}]`, 'a number', scores[wrong]);
  return scores;
}
