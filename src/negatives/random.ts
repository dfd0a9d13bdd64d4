import type { Random } from '../engine/random.js';
import { sampleDistinct } from './sample-distinct.js';
import type { Negative, NegativeSource, PositivesOf } from './sampler.js';

export interface RandomSourceOptions {
  documentCount: number;
  positives: PositivesOf;
  /** Default `random`. */
  name?: string;
}

/** Documents from anywhere in the collection, each equally likely ("Rand Neg"). */
export class RandomSource implements NegativeSource {
  readonly name: string;
  readonly #documentCount: number;
  readonly #positives: PositivesOf;

  constructor({ documentCount, positives, name = 'random' }: RandomSourceOptions) {
    this.name = name;
    this.#documentCount = documentCount;
    this.#positives = positives;
  }

  sample(query: number, random: Random, count: number): Negative[] {
    const positives = this.#positives(query);
    const others = this.#documentCount - positives.length;
    return sampleDistinct(random, others, count).map((nth) => ({
      document: nthOther(nth, positives),
      source: this.name,
    }));
  }
}

/** The nth number, from 0, that is not in an ascending list. */
function nthOther(nth: number, listed: Int32Array): number {
  let number = nth;
  for (let i = 0; i < listed.length && listed[i] <= number; i++) number++;
  return number;
}
