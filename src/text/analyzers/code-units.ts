/** A text as UTF-16 code units: three times as fast to read as a string, character by character. */
export type CodeUnits = Uint16Array;

/** Turns texts into code units in one buffer, used again for every text. */
export class CodeUnitBuffer {
  #bytes = Buffer.alloc(8192);

  /** The code units of a text, until the next one is read. */
  read(text: string): CodeUnits {
    if (2 * text.length > this.#bytes.length) this.#bytes = Buffer.alloc(4 * text.length);
    this.#bytes.write(text, 'utf16le');
    return new Uint16Array(this.#bytes.buffer, this.#bytes.byteOffset, text.length);
  }
}

/** The code point at a place; an unpaired surrogate stands for itself. */
export function codePointAt(text: CodeUnits, at: number): number {
  const unit = text[at];
  return widthAt(text, at) === 1 ? unit : 0x10000 + ((unit & 0x3ff) << 10) + (text[at + 1] & 0x3ff);
}

/** Code units of the code point at a place: 2 for a surrogate pair. */
export function widthAt(text: CodeUnits, at: number): number {
  return (text[at] & 0xfc00) === 0xd800 && (text[at + 1] & 0xfc00) === 0xdc00 ? 2 : 1;
}
