import { NearmissError } from '../base/errors.js';
import type { Random } from '../engine/random.js';
import type { Negative, NegativeSource } from './sampler.js';

export interface MixturePart {
  source: NegativeSource;
  /** Its share in proportion to the other parts: a count, or any ratio. */
  weight: number;
}

/**
 * Negatives of several sources, e.g. DPR's BM25 and random 1:1. With counts as weights, and their sum drawn, each
 * source gives its count; else each gives its share rounded up or down at random, so that the mean is exact. A
 * document comes once, from the first source that drew it; where a source runs out, the others fill its place.
 *
 * @example
 * new Mixture([{ source: bm25, weight: 1 }, { source: random, weight: 1 }]);
 */
export class Mixture implements NegativeSource {
  readonly name: string;
  readonly #parts: readonly MixturePart[];
  readonly #total: number;

  constructor(parts: readonly MixturePart[], name = parts.map(({ source }) => source.name).join('+')) {
    const total = parts.reduce((sum, { weight }) => sum + weight, 0);
    if (!(total > 0) || parts.some(({ weight }) => !(weight >= 0))) {
      throw new NearmissError(
        `mixture: expected weights from 0, not all 0, got ${parts.map(({ weight }) => weight).join(', ')}`,
      );
    }
    this.name = name;
    this.#parts = parts;
    this.#total = total;
  }

  sample(query: number, random: Random, count: number): Negative[] {
    const drawn: Negative[] = [];
    const taken = new Set<number>();
    const take = (source: NegativeSource, wanted: number): void => {
      if (wanted === 0) return;
      // Asked for enough that what was drawn before can be left out.
      const candidates = source.sample(query, random, wanted + taken.size);
      const fresh = candidates.filter(({ document }) => !taken.has(document)).slice(0, wanted);
      for (const negative of fresh) taken.add(negative.document);
      drawn.push(...fresh);
    };
    const shares = this.#shares(count, random.uniform());
    for (const [i, { source }] of this.#parts.entries()) take(source, shares[i]);
    for (const { source } of this.#parts) take(source, count - drawn.length);
    return drawn;
  }

  /** Systematic sampling: n_i = ⌊c_i + u⌋ − ⌊c_(i−1) + u⌋ with c the running sum of count × share. */
  #shares(count: number, u: number): number[] {
    let weight = 0;
    let before = 0;
    return this.#parts.map((part) => {
      weight += part.weight;
      const upTo = Math.floor((count * weight) / this.#total + u);
      const share = upTo - before;
      before = upTo;
      return share;
    });
  }
}
