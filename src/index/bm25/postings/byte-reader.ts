import { closeSync, openSync, readSync } from 'node:fs';

/** Holds the longest term, several times. */
const SMALLEST_BUFFER = 16 * 1024;

/** A temporary file of our own read front to back through a buffer: the counterpart of ByteWriter. */
export class ByteReader {
  readonly #file: number;
  readonly #buffer: Buffer;
  #at = 0;
  #end = 0;

  constructor(path: string, bufferBytes: number) {
    this.#file = openSync(path, 'r');
    this.#buffer = Buffer.allocUnsafe(Math.max(SMALLEST_BUFFER, bufferBytes));
  }

  /** Whether everything was read. */
  get isAtEnd(): boolean {
    if (this.#at === this.#end) this.#refill();
    return this.#at === this.#end;
  }

  varint(): number {
    if (this.#end - this.#at < 5) this.#refill();
    let byte = this.#buffer[this.#at++];
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = this.#buffer[this.#at++];
      value |= (byte & 127) << shift;
    }
    return value;
  }

  /** A text of `length` bytes, at most the buffer's size. */
  text(length: number): string {
    if (this.#end - this.#at < length) this.#refill();
    this.#at += length;
    return this.#buffer.toString('utf8', this.#at - length, this.#at);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Keeps what is unread and fills the rest of the buffer. */
  #refill(): void {
    this.#buffer.copyWithin(0, this.#at, this.#end);
    this.#end -= this.#at;
    this.#at = 0;
    this.#end += readSync(this.#file, this.#buffer, this.#end, this.#buffer.length - this.#end, null);
  }
}
