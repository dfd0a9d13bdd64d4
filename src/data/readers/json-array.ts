import { isUtf8 } from 'node:buffer';
import { readBytes } from '../../base/read-bytes.js';
import { type OnProblem, RecordContext } from '../problem.js';
import type { Located, RecordSource } from '../sources.js';
import { parseJson } from './record-lines.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
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
  for await (const chunk of readBytes(file)) {
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
  #escaped = false;
  #ended = false;
  #line = 1;
  #elements = 0;
  #elementLine = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  constructor(file: string, onProblem: OnProblem) {
    this.#file = file;
    this.#onProblem = onProblem;
  }

  *push(chunk: Buffer): Generator<{ text: string; line: number }> {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (byte === NEWLINE) this.#line++;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
        continue;
      }
      if (byte <= 0x20) continue;
      if (this.#depth === 0) {
        if (!this.#enter(byte)) return;
        start = i + 1;
        continue;
      }
      const ends = this.#depth === 1 && (byte === COMMA || CLOSE.has(byte));
      if (ends) {
        const element = this.#take(chunk.subarray(start, i), byte === COMMA);
        if (element) yield element;
        if (this.failed) return;
        start = i + 1;
      } else if (this.#elementLine === 0) this.#elementLine = this.#line;
      if (byte === QUOTE) this.#inString = true;
      else if (OPEN.has(byte)) this.#depth++;
      else if (CLOSE.has(byte) && --this.#depth === 0) this.#ended = true;
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start));
  }

  finish(): void {
    if (!this.#ended && !this.failed) this.#fail('unexpected end of file: the list is not closed');
  }

  /** Outside of the array: its opening bracket, or the marks that may stand before it. */
  #enter(byte: number): boolean {
    const byteOrderMark = this.#line === 1 && (byte === 0xef || byte === 0xbb || byte === 0xbf);
    if (byteOrderMark && !this.#ended) return true;
    if (!this.#ended && byte === 0x5b) {
      this.#depth = 1;
      return true;
    }
    this.#fail(this.#ended ? 'more text after the end of the list' : 'expected a JSON list: [ … ]');
    return false;
  }

  #take(last: Buffer, more: boolean): { text: string; line: number } | undefined {
    this.#keep(last);
    const bytes = this.#pending.length === 1 ? this.#pending[0] : Buffer.concat(this.#pending);
    const line = this.#elementLine || this.#line;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#elementLine = 0;
    if (!isUtf8(bytes)) {
      this.#problem('broken-utf8', 'not valid UTF-8', line);
      return undefined;
    }
    const text = bytes.toString('utf8');
    const emptyList = this.#elements === 0 && !more && text.trim() === '';
    this.#elements++;
    return emptyList ? undefined : { text, line };
  }

  #keep(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > MAX_ELEMENT_BYTES) this.#fail('an element of the list is longer than 256 MiB');
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
