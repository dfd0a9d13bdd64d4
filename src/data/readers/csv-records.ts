import { CsvError, parse } from 'csv-parse/sync';
import { readLineBatches } from '../../base/lines.js';
import { type OnProblem, RecordContext } from '../problem.js';
import type { Located } from '../sources.js';
import { BrokenLines } from './record-lines.js';

/** A cell left open would swallow the rest of the file: no record may be longer. */
const MAX_RECORD_LINES = 10_000;

interface TextRecord {
  text: string;
  /** Its first line, and how many it has. */
  line: number;
  lines: number;
}

/**
 * The records of a file with quoted cells, which may hold separators, line breaks and doubled quotation marks. A broken
 * record is reported with its line and the reading goes on behind it.
 */
export async function* readCsv(
  file: string,
  delimiter: string,
  onProblem: OnProblem,
): AsyncGenerator<Located<string[]>> {
  const splitter = new RecordSplitter(file, delimiter, onProblem);
  const broken = new BrokenLines(file, onProblem);
  for await (const { first, lines } of readLineBatches(file, broken)) {
    const whole = splitter.push(lines, first).filter((record) => !broken.has(record.line, record.lines));
    yield* parseRecords(whole, { file, delimiter, onProblem });
  }
  splitter.finish();
}

/** A record is whole when no quoted cell is open: csv-parse works on text, not on a stream it may drop. */
class RecordSplitter {
  readonly #file: string;
  readonly #delimiter: string;
  readonly #onProblem: OnProblem;
  #open: string[] = [];
  #openLine = 0;
  #isQuoted = false;

  constructor(file: string, delimiter: string, onProblem: OnProblem) {
    this.#file = file;
    this.#delimiter = delimiter;
    this.#onProblem = onProblem;
  }

  push(lines: string[], first: number): TextRecord[] {
    const records: TextRecord[] = [];
    for (let i = 0; i < lines.length; i++) {
      if (this.#open.length === 0) {
        if (lines[i].trim() === '') continue;
        this.#openLine = first + i;
      }
      this.#open.push(lines[i]);
      this.#isQuoted = endsQuoted(lines[i], this.#delimiter, this.#isQuoted);
      if (!this.#isQuoted) {
        records.push({ text: this.#open.join('\n'), line: this.#openLine, lines: this.#open.length });
        this.#reset();
      } else if (this.#open.length > MAX_RECORD_LINES) this.finish();
    }
    return records;
  }

  finish(): void {
    if (this.#open.length === 0) return;
    reportBroken(
      new RecordContext(this.#file, this.#openLine, this.#onProblem),
      'a quoted cell is not closed',
    );
    this.#reset();
  }

  #reset(): void {
    this.#open = [];
    this.#isQuoted = false;
  }
}

/**
 * Whether a quoted cell is open at the end of a line. A quotation mark opens one at the beginning of a cell only, and closes it
 * before a separator or the end: elsewhere people write 5" and mean inches.
 */
function endsQuoted(line: string, delimiter: string, isQuoted: boolean): boolean {
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
    if (!isQuoted) isQuoted = at === 0 || line.endsWith(delimiter, at);
    else if (line[at + 1] === '"') at++;
    else if (at + 1 === line.length || line.startsWith(delimiter, at + 1)) isQuoted = false;
  }
  return isQuoted;
}

interface ParseOptions {
  file: string;
  delimiter: string;
  onProblem: OnProblem;
}

/** Parses many records at once, and one by one only where some of them are broken. */
function* parseRecords(records: TextRecord[], options: ParseOptions): Generator<Located<string[]>> {
  const { file, delimiter, onProblem } = options;
  const all = tryParse(records.map(({ text }) => text).join('\n'), delimiter);
  const whole = Array.isArray(all) && all.length === records.length;
  for (const [i, { text, line }] of records.entries()) {
    const parsed = whole ? [all[i]] : parseLeniently(text, delimiter);
    if (parsed instanceof Error) reportBroken(new RecordContext(file, line, onProblem), parsed.message);
    else yield { value: parsed[0] ?? [], file, line };
  }
}

/** Quotation marks in a cell that is not quoted are text; in a quoted one nobody knows where it was to end. */
function parseLeniently(text: string, delimiter: string): string[][] | Error {
  const strict = tryParse(text, delimiter);
  const isBare = strict instanceof CsvError && strict.code === 'INVALID_OPENING_QUOTE';
  return isBare ? tryParse(text, delimiter, { relax_quotes: true }) : strict;
}

function tryParse(
  text: string,
  delimiter: string,
  relaxed: { relax_quotes?: boolean } = {},
): string[][] | Error {
  try {
    return parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true, ...relaxed });
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

function reportBroken(at: RecordContext, reason: string): void {
  at.error('broken-csv', `not valid CSV: ${reason}`, {
    hint: 'a quotation mark inside a quoted cell is written twice: ""',
  });
}
