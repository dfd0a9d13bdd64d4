/**
 * The tokens of many texts in two flat arrays: text `i` is `ids[offsets[i]] … ids[offsets[i + 1] - 1]`.
 * No padding, no object for each text.
 */
export interface TokenBatch {
  readonly ids: Int32Array;
  /** One more entry than there are texts; the first is 0, the last `ids.length`. */
  readonly offsets: Uint32Array;
}

/** Pairs of texts as a cross-encoder reads them, with the segment (0 or 1) of each token. */
export interface PairBatch extends TokenBatch {
  readonly typeIds: Uint8Array;
}

/** How many texts a batch holds. */
export function batchCount(batch: TokenBatch): number {
  return batch.offsets.length - 1;
}

/** The tokens of one text of a batch: a view, not a copy. */
export function tokensAt(batch: TokenBatch, index: number): Int32Array {
  return batch.ids.subarray(batch.offsets[index], batch.offsets[index + 1]);
}

const FIRST_CAPACITY = 1024;

/** Collects texts' tokens into a {@link TokenBatch} whose size is not known beforehand. */
export class TokenBatchBuilder {
  #ids = new Int32Array(FIRST_CAPACITY);
  #length = 0;
  readonly #offsets: number[] = [0];

  /** Tokens added so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds tokens `start … end - 1` of `tokens` to the text under construction. */
  add(tokens: ArrayLike<number>, start = 0, end = tokens.length): void {
    const needed = this.#length + end - start;
    if (needed > this.#ids.length) {
      const grown = new Int32Array(Math.max(needed, 2 * this.#ids.length));
      grown.set(this.#ids.subarray(0, this.#length));
      this.#ids = grown;
    }
    for (let i = start; i < end; i++) this.#ids[this.#length++] = tokens[i];
  }

  /** Finishes the text under construction; what is added next belongs to the following one. */
  endText(): void {
    this.#offsets.push(this.#length);
  }

  build(): TokenBatch {
    return { ids: this.#ids.slice(0, this.#length), offsets: Uint32Array.from(this.#offsets) };
  }
}
