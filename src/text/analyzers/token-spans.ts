/** Where the tokens of one text are: reused from text to text, so that finding tokens allocates nothing. */
export class TokenSpans {
  starts = new Int32Array(256);
  /** One past the last UTF-16 code unit. */
  ends = new Int32Array(256);
  count = 0;

  add(start: number, end: number): void {
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
