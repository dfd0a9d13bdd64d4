import { isUtf8 } from 'node:buffer';
import { NearmissError } from './errors.js';
import { readUtf8 } from './read-bytes.js';

/** Consecutive lines of a file. */
export interface LineBatch {
  /** The number of the first line, counted from 1. */
  first: number;
  lines: string[];
}

export interface LinesOptions {
  /**
   * Called for a line that is not UTF-8, instead of throwing; the line then comes with U+FFFD in the place of
   * each broken byte.
   */
  onBrokenUtf8?: (problem: { line: number; message: string; hint: string }) => void;
  /** The longest line accepted; a file without line ends must not fill the memory. Default 256 MiB. */
  maxLineBytes?: number;
}

const NEWLINE = 0x0a;

/**
 * Reads the lines of a text file, of a gzip file or, for `-`, of standard input, some hundred at a time: one
 * decode and one `await` for each chunk of the file. UTF-16 is read where a mark says so; a byte order mark and carriage returns
 * are removed; in a file without line feeds carriage returns end the lines.
 *
 * Lines may be slices of a larger string: copy what you keep for long (`detach`).
 *
 * @example
 * for await (const { first, lines } of readLineBatches('run.trec')) {
 *   lines.forEach((line, i) => console.log(first + i, line));
 * }
 */
export async function* readLineBatches(path: string, options: LinesOptions = {}): AsyncGenerator<LineBatch> {
  const maxLineBytes = options.maxLineBytes ?? 256 * 1024 * 1024;
  let first = 1;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of readUtf8(path)) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) {
      const lines = decodeLines(path, join([...pending, chunk.subarray(0, end)]), first, options);
      yield { first, lines };
      first += lines.length;
      pending = [];
      pendingBytes = 0;
    }
    pending.push(chunk.subarray(end + 1));
    pendingBytes += chunk.length - end - 1;
    if (pendingBytes > maxLineBytes) throw tooLong(path, first, maxLineBytes);
  }
  if (pendingBytes === 0) return;
  const rest = decodeLines(path, join(pending), first, options);
  yield { first, lines: first === 1 ? rest.flatMap(splitAtReturns) : rest };
}

/** A file without any line feed ends its lines as old Macs and some spreadsheets do. */
function splitAtReturns(only: string): string[] {
  return only.split('\r');
}

/**
 * Like {@link readLineBatches}, one line at a time, for files where speed does not matter.
 *
 * @example
 * for await (const { text, number } of readLines('qrels.txt')) console.log(number, text);
 */
export async function* readLines(
  path: string,
  options: LinesOptions = {},
): AsyncGenerator<{ text: string; number: number }> {
  for await (const { first, lines } of readLineBatches(path, options)) {
    for (let i = 0; i < lines.length; i++) yield { text: lines[i], number: first + i };
  }
}

/** Copies a text that may be a slice, so that keeping it does not keep the chunk of the file around it. */
export function detach(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function join(parts: Buffer[]): Buffer {
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

function decodeLines(path: string, bytes: Buffer, first: number, options: LinesOptions): string[] {
  if (!isUtf8(bytes)) reportBrokenLines(path, bytes, first, options);
  const text = bytes.toString('utf8');
  const lines = (first === 1 && text.startsWith('\ufeff') ? text.slice(1) : text).split('\n');
  if (text.includes('\r')) {
    for (let i = 0; i < lines.length; i++) if (lines[i].endsWith('\r')) lines[i] = lines[i].slice(0, -1);
  }
  return lines;
}

function reportBrokenLines(path: string, bytes: Buffer, first: number, options: LinesOptions): void {
  const message = 'not valid UTF-8';
  const hint = 'convert the file from its own encoding, e.g.: iconv -f LATIN1 -t UTF-8';
  for (let line = first, start = 0; start <= bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) {
      if (!options.onBrokenUtf8) throw new NearmissError(`${path}:${line}: ${message}`, { hint });
      options.onBrokenUtf8({ line, message, hint });
    }
    start = end + 1;
  }
}

function tooLong(path: string, line: number, maxLineBytes: number): NearmissError {
  return new NearmissError(`${path}:${line}: line longer than ${Math.floor(maxLineBytes / 2 ** 20)} MiB`, {
    hint: 'is this a text file with one record a line?',
  });
}
