import { NearmissError } from '../../base/errors.js';

/**
 * Texts as an encoder makes them: one or many rows of numbers for each. A pooled vector is one row, MaxP has one for
 * each piece of a text.
 */
export interface EncodedTexts {
  /** The rows of all texts, one after another. */
  vectors: Float32Array;
  /** The rows of text `i` are `offsets[i] … offsets[i + 1] - 1`: one more entry than there are texts, the first is 0. */
  offsets: Uint32Array;
}

/** The offsets of texts with one row each. */
export function oneRowEach(texts: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length: texts + 1 }, (_, text) => text);
}

/** Whether every text has exactly one row, so that rows and texts have the same numbers. */
export function isOneRowEach(offsets: Uint32Array): boolean {
  return offsets.every((offset, text) => offset === text);
}

/** A model with several rows a text was asked for what is only known of single vectors. */
export class SeveralRowsError extends NearmissError {
  constructor() {
    super('the model makes several rows of a text, where a single vector is compared', {
      hint: 'search with what the model was trained for, or use a model with one vector a text',
    });
  }
}

/** The vectors of texts, for those who compare one of each; fails where a text has several rows. */
export function onlyRows({ vectors, offsets }: EncodedTexts): Float32Array {
  if (isOneRowEach(offsets)) return vectors;
  throw new SeveralRowsError();
}

/** The rows of one text, one after another: a view, not a copy. */
export function rowsOf({ vectors, offsets }: EncodedTexts, text: number): Float32Array {
  const dimension = vectors.length / offsets[offsets.length - 1];
  return vectors.subarray(offsets[text] * dimension, offsets[text + 1] * dimension);
}

/** Texts from the rows of each. */
export function stackRows(texts: readonly Float32Array[], dimension: number): EncodedTexts {
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((rows, text) => {
    offsets[text + 1] = offsets[text] + rows.length / dimension;
  });
  const vectors = new Float32Array(offsets[texts.length] * dimension);
  texts.forEach((rows, text) => {
    vectors.set(rows, offsets[text] * dimension);
  });
  return { vectors, offsets };
}

export interface CheckOffsetsOptions {
  /** How many rows there are. */
  rows: number;
  /** Allows texts without a row, which nothing can find. */
  mayBeEmpty?: boolean;
}

/** Refuses offsets that do not give every row to a text, and a row to every text. */
export function checkOffsets(offsets: ArrayLike<number>, { rows, mayBeEmpty }: CheckOffsetsOptions): void {
  const last = offsets[offsets.length - 1];
  if (offsets[0] !== 0 || last !== rows) {
    throw new NearmissError(
      `offsets: expected them to go from 0 to ${rows}, the number of rows, got ${offsets[0]} to ${last}`,
    );
  }
  for (let text = 0; text + 1 < offsets.length; text++) {
    const count = offsets[text + 1] - offsets[text];
    if (count > 0 || (count === 0 && mayBeEmpty)) continue;
    throw new NearmissError(
      `offsets: text ${text}: expected ${mayBeEmpty ? 'no fewer than 0 rows' : 'at least one row'}, got ${count}`,
      { hint: 'put the rows of a text together, texts in ascending order' },
    );
  }
}

/** Collects the offsets of a collection from those of its parts. */
export class OffsetsBuilder {
  readonly #offsets = [0];

  /** Rows so far. */
  get rows(): number {
    return this.#offsets[this.#offsets.length - 1];
  }

  /** Adds the texts of the next part. */
  add({ offsets }: Pick<EncodedTexts, 'offsets'>): void {
    const { rows } = this;
    for (let text = 1; text < offsets.length; text++) this.#offsets.push(rows + offsets[text]);
  }

  build(): Uint32Array<ArrayBuffer> {
    return Uint32Array.from(this.#offsets);
  }
}
