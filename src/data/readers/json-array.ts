import { isUtf8 } from 'node:buffer';
import { readUtf8 } from '../../base/read-bytes.js';
import { type OnProblem, RecordContext } from '../problem.js';
import type { Located, RecordSource } from '../sources.js';
import { parseJson } from './record-lines.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const MAX_ELEMENT_BYTES = 256 * 1024 * 1024;

/**
 * A file that is one JSON array, however large: it is cut at the commas between its elements, and only one element
 * is in memory at a time.
 */
export function jsonArraySource<T>(
  file: string,
  parse: (value: unknown, at: RecordContext) => T | undefined,
): RecordSource<T> {
  return { file, read: (onProblem) => readElements(file, parse, onProblem) };
}

async function* readElements<T>(
  file: string,
  parse: (value: unknown, at: RecordContext) => T | undefined,
  onProblem: OnProblem,
): AsyncGenerator<Located<T>> {
  const splitter = new ElementSplitter(file, onProblem);
  for await (const chunk of readUtf8(file)) {
    for (const { text, line } of splitter.push(chunk)) {
      const at = new RecordContext(file, line, onProblem);
      const element = parseJson(text, at);
      const value = element === undefined ? undefined : parse(element, at);
      if (value !== undefined) yield { value, file, line };
    }
    if (splitter.failed) return;
  }
  splitter.finish();
}

/** Finds the borders of an array's elements, byte by byte; whether an element is valid is for JSON.parse to say. */
class ElementSplitter {
  failed = false;
  readonly #file: string;
  readonly #onProblem: OnProblem;
  #depth = 0;
  #inString = false;
  /** The string goes on in the next chunk with a character that a backslash protects. */
  #escaped = false;
  #ended = false;
  #elements = 0;
  #elementLine = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Where the element that is being read begins in the chunk. */
  #start = 0;
  /** The number of the line that ends at #newline, a place in the chunk. */
  #line = 1;
  #newline = 0;

  constructor(file: string, onProblem: OnProblem) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  *push(chunk: Buffer): Generator<{ text: string; line: number }> {
    this.#start = 0;
    this.#newline = nextNewline(chunk, 0);
    for (let i = this.#scan(chunk, 0); i < chunk.length && !this.failed; i = this.#scan(chunk, i + 1)) {
      const element = this.#take(chunk, i);
      if (element) yield element;
      this.#start = i + 1;
      if (chunk[i] !== COMMA) this.#close();
    }
    this.#countLines(chunk, chunk.length);
    if (this.#depth > 0) this.#keep(chunk.subarray(this.#start));
  }

  finish(): void {
    if (!this.#ended && !this.failed) this.#fail('unexpected end of file: the list is not closed');
  }

  /** The place of the next comma or bracket that ends an element, or the end of the chunk. */
  #scan(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      if (this.#inString) {
        i = this.#stringEnd(chunk, i);
        continue;
      }
      const byte = chunk[i];
      if (byte <= 0x20) continue;
      if (this.#depth === 0) {
        if (!this.#enter(chunk, i)) return chunk.length;
        continue;
      }
      const closes = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
      if (this.#depth === 1 && (closes || byte === COMMA)) return i;
      if (this.#elementLine === 0) this.#elementLine = this.#lineAt(chunk, i);
      if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth++;
      else if (closes) this.#depth--;
    }
    return chunk.length;
  }

  /** The place of the quotation mark that ends a string, or the end of the chunk. Most bytes are in strings. */
  #stringEnd(chunk: Buffer, from: number): number {
    let start = this.#escaped ? from + 1 : from;
    this.#escaped = false;
    for (;;) {
      const quote = chunk.indexOf(QUOTE, start);
      const end = quote < 0 ? chunk.length : quote;
      let backslashes = 0;
      while (end - backslashes > start && chunk[end - backslashes - 1] === BACKSLASH) backslashes++;
      const escaped = backslashes % 2 === 1;
      if (quote < 0) {
        this.#escaped = escaped;
        return chunk.length;
      }
      if (!escaped) {
        this.#inString = false;
        return quote;
      }
      start = quote + 1;
    }
  }

  /** Outside of the array: its opening bracket, or the marks that may stand before it. */
  #enter(chunk: Buffer, i: number): boolean {
    if (!this.#ended) {
      if (this.#line === 1 && BYTE_ORDER_MARK.includes(chunk[i])) return true;
      if (chunk[i] === OPEN_LIST) {
        this.#depth = 1;
        this.#start = i + 1;
        return true;
      }
    }
    this.#countLines(chunk, i);
    this.#fail(this.#ended ? 'more text after the end of the list' : 'expected a JSON list: [ … ]');
    return false;
  }

  #close(): void {
    this.#depth = 0;
    this.#ended = true;
  }

  #take(chunk: Buffer, end: number): { text: string; line: number } | undefined {
    this.#keep(chunk.subarray(this.#start, end));
    const bytes = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending);
    const line = this.#elementLine || this.#lineAt(chunk, end);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#elementLine = 0;
    if (!isUtf8(bytes)) {
      this.#problem('broken-utf8', 'not valid UTF-8', line);
      return undefined;
    }
    const text = bytes.toString('utf8');
    const emptyList = this.#elements === 0 && chunk[end] !== COMMA && text.trim() === '';
    this.#elements++;
    return emptyList ? undefined : { text, line };
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MAX_ELEMENT_BYTES) this.#fail('an element of the list is longer than 256 MiB');
  }

  #lineAt(chunk: Buffer, place: number): number {
    this.#countLines(chunk, place);
    return this.#line;
  }

  #countLines(chunk: Buffer, to: number): void {
    while (this.#newline < to) {
      this.#line++;
      this.#newline = nextNewline(chunk, this.#newline + 1);
    }
  }

  #fail(message: string): void {
    this.failed = true;
    this.#problem('broken-json', message, this.#line);
  }

  #problem(code: string, message: string, line: number): void {
    this.#onProblem({
      severity: 'error',
      code,
      file: this.#file,
      line,
      message,
      hint: 'the file must be one JSON list, in UTF-8',
    });
  }
}

function nextNewline(chunk: Buffer, from: number): number {
  const found = chunk.indexOf(NEWLINE, from);
  return found < 0 ? chunk.length : found;
}
