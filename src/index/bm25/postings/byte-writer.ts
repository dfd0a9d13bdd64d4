import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { NearmissError } from '../../../base/errors.js';

const BUFFER_BYTES = 1 << 20;

/** Offsets in the index are u32. */
const MAX_BYTES = 2 ** 32;

/** A file written front to back through a buffer, with the checksum that `meta.json` records. */
export class ByteWriter {
  readonly path: string;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #isOpen = true;
  #used = 0;
  #flushed = 0;
  #crc = 0;

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, 'w');
  }

  /** Bytes written so far. */
  get position(): number {
    return this.#flushed + this.#used;
  }

  u32(value: number): void {
    if (this.#used + 4 > BUFFER_BYTES) this.#flush();
    this.#used = this.#buffer.writeUInt32LE(value, this.#used);
  }

  /** A non-negative integer, seven bits a byte, lowest first; the high bit says that more follow. */
  varint(value: number): void {
    if (this.#used + 5 > BUFFER_BYTES) this.#flush();
    let rest = value;
    for (; rest > 127; rest >>>= 7) this.#buffer[this.#used++] = rest | 128;
    this.#buffer[this.#used++] = rest;
  }

  /** UTF-8; returns how many bytes it took. */
  text(text: string): number {
    const most = 3 * text.length;
    if (most > BUFFER_BYTES) return this.bytes(Buffer.from(text));
    if (this.#used + most > BUFFER_BYTES) this.#flush();
    const length = this.#buffer.write(text, this.#used, 'utf8');
    this.#used += length;
    return length;
  }

  bytes(bytes: Uint8Array): number {
    this.#flush();
    this.#write(bytes);
    return bytes.length;
  }

  /** Writes what is left and makes it durable. */
  close(): { bytes: number; crc32: number } {
    this.#flush();
    fsyncSync(this.#file);
    this.dispose();
    return { bytes: this.#flushed, crc32: this.#crc };
  }

  /** Closes the file as it is, if it still is open. */
  dispose(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #flush(): void {
    this.#write(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }

  #write(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#flushed += bytes.length;
    if (this.#flushed >= MAX_BYTES) {
      throw new NearmissError(`${this.path}: grew over 4 GB, more than one index can hold`, {
        hint: 'split the collection and index the parts',
      });
    }
  }
}
