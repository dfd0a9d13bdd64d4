/** A symbol pair with how often it occurs. */
export interface CountedPair {
  left: number;
  right: number;
  count: number;
}

/** Symbol ids stay below this, so that a pair fits exactly into one number. */
const MAX_SYMBOLS = 2 ** 26;

/**
 * Words as sequences of symbols, and the counts of all neighbouring pairs, kept up to date while pairs are
 * merged: a merge touches only the words that hold the pair. The most frequent pair comes from a heap whose
 * entries are corrected when they surface.
 */
export class PairMerger {
  /** All words one after the other; a word keeps its place and shrinks in it. */
  readonly #symbols: Int32Array;
  readonly #starts: Int32Array;
  readonly #lengths: Int32Array;
  readonly #wordCounts: Float64Array;
  readonly #pairs = new Map<number, number>();
  readonly #lefts: number[] = [];
  readonly #rights: number[] = [];
  readonly #counts: number[] = [];
  /** For each pair, the words that hold it or held it once. */
  readonly #words: number[][] = [];
  readonly #heap: PairHeap;

  constructor(words: readonly { symbols: readonly number[]; count: number }[]) {
    this.#symbols = new Int32Array(words.reduce((sum, { symbols }) => sum + symbols.length, 0));
    this.#starts = new Int32Array(words.length);
    this.#lengths = Int32Array.from(words, ({ symbols }) => symbols.length);
    this.#wordCounts = Float64Array.from(words, ({ count }) => count);
    let start = 0;
    words.forEach(({ symbols, count }, word) => {
      this.#symbols.set(symbols, start);
      this.#starts[word] = start;
      start += symbols.length;
      for (let i = 1; i < symbols.length; i++) this.#add(symbols[i - 1], symbols[i], count, word);
    });
    this.#heap = new PairHeap(this.#lefts, this.#rights);
    this.#counts.forEach((count, pair) => {
      this.#heap.push(pair, count);
    });
  }

  /** The most frequent pair, at ties the one with the smallest ids; undefined when there is none. */
  mostFrequent(): CountedPair | undefined {
    for (let top = this.#heap.pop(); top; top = this.#heap.pop()) {
      const count = this.#counts[top.pair];
      if (count === top.count && count > 0) {
        return { left: this.#lefts[top.pair], right: this.#rights[top.pair], count };
      }
      // It became rarer since. (Had it become more frequent, a newer entry would have come up before.)
      if (count < top.count && count > 0) this.#heap.push(top.pair, count);
    }
    return undefined;
  }

  /** Replaces the pair by `merged` everywhere, from left to right in each word. */
  merge({ left, right }: CountedPair, merged: number): void {
    const pair = this.#pairs.get(left * MAX_SYMBOLS + right) as number;
    const words = this.#words[pair];
    this.#words[pair] = [];
    const grown = new Set<number>();
    for (const word of words) this.#mergeInWord(word, left, right, merged, grown);
    this.#counts[pair] = 0;
    for (const other of grown) if (this.#counts[other] > 0) this.#heap.push(other, this.#counts[other]);
  }

  #mergeInWord(word: number, left: number, right: number, merged: number, grown: Set<number>): void {
    const symbols = this.#symbols;
    const start = this.#starts[word];
    const end = start + this.#lengths[word];
    const count = this.#wordCounts[word];
    let write = start;
    for (let read = start; read < end; read++) {
      if (read + 1 === end || symbols[read] !== left || symbols[read + 1] !== right) {
        symbols[write++] = symbols[read];
        continue;
      }
      if (write > start) {
        this.#add(symbols[write - 1], left, -count, word);
        grown.add(this.#add(symbols[write - 1], merged, count, word));
      }
      if (read + 2 < end) {
        this.#add(right, symbols[read + 2], -count, word);
        grown.add(this.#add(merged, symbols[read + 2], count, word));
      }
      symbols[write++] = merged;
      read++;
    }
    this.#lengths[word] = write - start;
  }

  /** Changes a pair's count by `change` on account of `word`; returns the pair's index. */
  #add(left: number, right: number, change: number, word: number): number {
    const key = left * MAX_SYMBOLS + right;
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      pair = this.#counts.length;
      this.#pairs.set(key, pair);
      this.#lefts.push(left);
      this.#rights.push(right);
      this.#counts.push(0);
      this.#words.push([]);
    }
    this.#counts[pair] += change;
    const words = this.#words[pair];
    if (change > 0 && words[words.length - 1] !== word) words.push(word);
    return pair;
  }
}

/** A binary heap: most frequent pair first, at ties the smallest left, then right symbol. */
class PairHeap {
  readonly #pairs: number[] = [];
  readonly #counts: number[] = [];
  readonly #lefts: readonly number[];
  readonly #rights: readonly number[];

  constructor(lefts: readonly number[], rights: readonly number[]) {
    this.#lefts = lefts;
    this.#rights = rights;
  }

  push(pair: number, count: number): void {
    let place = this.#pairs.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#before(pair, count, this.#pairs[parent], this.#counts[parent])) break;
      this.#set(place, this.#pairs[parent], this.#counts[parent]);
      place = parent;
    }
    this.#set(place, pair, count);
  }

  pop(): { pair: number; count: number } | undefined {
    const top = { pair: this.#pairs[0], count: this.#counts[0] };
    const pair = this.#pairs.pop();
    const count = this.#counts.pop();
    if (pair === undefined || count === undefined) return undefined;
    const size = this.#pairs.length;
    if (size === 0) return top;
    let place = 0;
    for (let child = 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && this.#childBefore(child + 1, child)) child++;
      if (!this.#before(this.#pairs[child], this.#counts[child], pair, count)) break;
      this.#set(place, this.#pairs[child], this.#counts[child]);
      place = child;
    }
    this.#set(place, pair, count);
    return top;
  }

  #set(place: number, pair: number, count: number): void {
    this.#pairs[place] = pair;
    this.#counts[place] = count;
  }

  #childBefore(a: number, b: number): boolean {
    return this.#before(this.#pairs[a], this.#counts[a], this.#pairs[b], this.#counts[b]);
  }

  #before(pair: number, count: number, other: number, otherCount: number): boolean {
    if (count !== otherCount) return count > otherCount;
    if (this.#lefts[pair] !== this.#lefts[other]) return this.#lefts[pair] < this.#lefts[other];
    return this.#rights[pair] < this.#rights[other];
  }
}
