/** Longer tokens are cut into pieces of this many UTF-16 code units, as Lucene's StandardTokenizer does. */
const MAX_TOKEN_LENGTH = 255;

/** Where the tokens of one text are: reused from text to text, so that finding tokens allocates nothing. */
export class TokenSpans {
  starts = new Int32Array(256);
  /** One past the last UTF-16 code unit. */
  ends = new Int32Array(256);
  count = 0;

  add(start: number, end: number): void {
    let from = start;
    for (; end - from > MAX_TOKEN_LENGTH; from += MAX_TOKEN_LENGTH) this.#push(from, from + MAX_TOKEN_LENGTH);
    this.#push(from, end);
  }

  #push(start: number, end: number): void {
    if (this.count === this.starts.length) this.#grow();
    this.starts[this.count] = start;
    this.ends[this.count++] = end;
  }

  #grow(): void {
    const { starts, ends } = this;
    this.starts = new Int32Array(2 * starts.length);
    this.ends = new Int32Array(2 * ends.length);
    this.starts.set(starts);
    this.ends.set(ends);
  }
}
