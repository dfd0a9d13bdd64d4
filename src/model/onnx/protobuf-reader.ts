import type { RandomAccessFile } from '../../base/random-access-file.js';
import { corruptOnnx } from './corrupt-onnx.js';

/** A part of a file, from `start` to just before `end`. */
export interface Range {
  start: number;
  end: number;
}

/** One field of a message: a whole number, or the place of its bytes (a text, a message, packed or fixed numbers). */
export interface Field extends Range {
  number: number;
  integer?: number;
}

const WINDOW_BYTES = 1 << 16;
const LONGEST_VARINT = 10;
const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];

/**
 * Reads protocol buffers out of a file, field by field. What nobody asks for is not read: a model's weights stay where
 * they are, and only their place is known.
 */
export class ProtobufReader {
  readonly file: RandomAccessFile;
  #window = new Uint8Array(0);
  #windowStart = 0;

  constructor(file: RandomAccessFile) {
    this.file = file;
  }

  /** The fields of the message in a range, in order. */
  async *fields({ start, end }: Range): AsyncGenerator<Field> {
    let at = start;
    while (at < end) {
      const key = await this.#varint(at, end);
      const number = Math.floor(key.value / 8);
      const kind = key.value % 8;
      at = key.end;
      if (kind === VARINT) {
        const { value, end: next } = await this.#varint(at, end);
        yield { number, integer: value, start: at, end: next };
        at = next;
        continue;
      }
      const content = await this.#content(kind, at, end);
      yield { number, ...content };
      at = content.end;
    }
  }

  async text(range: Range): Promise<string> {
    return new TextDecoder().decode(await this.bytes(range));
  }

  /** The bytes of a short range. */
  async bytes({ start, end }: Range): Promise<Uint8Array<ArrayBuffer>> {
    const windowEnd = this.#windowStart + this.#window.length;
    if (start < this.#windowStart || end > windowEnd) {
      const length = Math.min(Math.max(WINDOW_BYTES, end - start), this.file.size - start);
      this.#window = new Uint8Array(length);
      this.#windowStart = start;
      await this.file.readInto(this.#window, start);
    }
    return this.#window.slice(start - this.#windowStart, end - this.#windowStart);
  }

  /** The numbers of a repeated field, packed into one or standing alone. */
  async integers(field: Field): Promise<number[]> {
    if (field.integer !== undefined) return [field.integer];
    const integers: number[] = [];
    for (let at = field.start; at < field.end; ) {
      const { value, end } = await this.#varint(at, field.end);
      integers.push(value);
      at = end;
    }
    return integers;
  }

  async #content(kind: number, at: number, end: number): Promise<Range> {
    if (kind === BYTES) {
      const length = await this.#varint(at, end);
      return this.#inside({ start: length.end, end: length.end + length.value }, end);
    }
    if (kind === FIXED32) return this.#inside({ start: at, end: at + 4 }, end);
    if (kind === FIXED64) return this.#inside({ start: at, end: at + 8 }, end);
    throw corruptOnnx(this.file.path, `a field of an unknown kind at byte ${at}`);
  }

  #inside(range: Range, end: number): Range {
    if (range.end > this.file.size) throw this.file.truncated(range.end);
    if (range.end < range.start || range.end > end) {
      throw corruptOnnx(this.file.path, `the field at byte ${range.start} reaches beyond its message`);
    }
    return range;
  }

  async #varint(at: number, end: number): Promise<{ value: number; end: number }> {
    const bytes = await this.bytes({ start: at, end: Math.min(at + LONGEST_VARINT, end) });
    const length = bytes.findIndex((byte) => byte < 0x80) + 1;
    if (length === 0) throw corruptOnnx(this.file.path, `a number without an end at byte ${at}`);
    let value = 0n;
    for (let i = length - 1; i >= 0; i--) value = (value << 7n) | BigInt(bytes[i] & 0x7f);
    return { value: Number(BigInt.asIntN(64, value)), end: at + length };
  }
}
