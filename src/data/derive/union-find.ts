/** Named things that are joined into groups (disjoint sets with path halving). */
export class UnionFind {
  readonly #numbers = new Map<string, number>();
  readonly #parents: number[] = [];

  /** Puts both into one group. */
  join(a: string, b: string): void {
    this.#parents[this.#root(this.#number(a))] = this.#root(this.#number(b));
  }

  /** The same number for all of one group. */
  groupOf(name: string): number {
    return this.#root(this.#number(name));
  }

  #number(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.#parents.length;
      this.#numbers.set(name, number);
      this.#parents.push(number);
    }
    return number;
  }

  #root(start: number): number {
    let node = start;
    while (this.#parents[node] !== node) {
      this.#parents[node] = this.#parents[this.#parents[node]];
      node = this.#parents[node];
    }
    return node;
  }
}
