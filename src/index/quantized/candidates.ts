/**
 * The best of what is pushed, by score and then by place, whatever the order of pushes: twice as many as wanted are kept,
 * and cut back when the room is used up.
 */
export class Candidates {
  readonly #wanted: number;
  readonly #places: Uint32Array;
  readonly #scores: Float32Array;
  readonly #scratch: Float32Array;
  #size = 0;
  /** What is below it need not be pushed. */
  threshold = Number.NEGATIVE_INFINITY;

  constructor(wanted: number) {
    this.#wanted = wanted;
    this.#places = new Uint32Array(2 * wanted);
    this.#scores = new Float32Array(2 * wanted);
    this.#scratch = new Float32Array(2 * wanted);
  }

  push(place: number, score: number): void {
    if (score < this.threshold) return;
    if (this.#size === this.#scores.length) {
      this.#cut();
      if (score < this.threshold) return;
    }
    this.#places[this.#size] = place;
    this.#scores[this.#size++] = score;
  }

  /** The places of the best: a view, in no order. */
  best(): Uint32Array {
    if (this.#size > this.#wanted) this.#cut();
    return this.#places.subarray(0, this.#size);
  }

  /** Keeps the wanted number, of equal scores those with the lowest places. */
  #cut(): void {
    this.#scratch.set(this.#scores.subarray(0, this.#size));
    const least = nthLargest(this.#scratch, this.#size, this.#wanted);
    const equal: number[] = [];
    let kept = 0;
    for (let i = 0; i < this.#size; i++) {
      if (this.#scores[i] < least) continue;
      if (this.#scores[i] === least) {
        equal.push(this.#places[i]);
        continue;
      }
      this.#scores[kept] = this.#scores[i];
      this.#places[kept++] = this.#places[i];
    }
    equal.sort((a, b) => a - b);
    for (const place of equal.slice(0, this.#wanted - kept)) {
      this.#scores[kept] = least;
      this.#places[kept++] = place;
    }
    this.#size = kept;
    this.threshold = least;
  }
}

/** Quickselect; leaves the first `size` values in another order. */
export function nthLargest(values: Float32Array, size: number, n: number): number {
  let [low, high] = [0, size - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1];
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left] > pivot) left++;
      while (values[right] < pivot) right--;
      if (left > right) break;
      const value = values[left];
      values[left++] = values[right];
      values[right--] = value;
    }
    if (n - 1 <= right) high = right;
    else if (n - 1 >= left) low = left;
    else return values[n - 1];
  }
  return values[n - 1];
}
