import type { Random } from '../../engine/index.js';
import type { Negative, NegativeSource } from '../../negatives/index.js';
import type { TrainingQuery } from '../../run/training-data.js';

/** Tries for each negative wanted before giving up: collections where nearly all queries share their positives. */
const TRIES = 20;

/** In-batch negatives: the positives of other training queries, since those are what a random batch holds. */
export class OtherPositives implements NegativeSource {
  readonly name = 'in-batch';
  readonly #training: readonly TrainingQuery[];

  constructor(training: readonly TrainingQuery[]) {
    this.#training = training;
  }

  sample(query: number, random: Random, count: number): Negative[] {
    const known = new Set(this.#training[query].positives);
    const drawn = new Set<number>();
    for (let tries = 0; drawn.size < count && tries < TRIES * count; tries++) {
      const { positives } = this.#training[random.integer(this.#training.length)];
      const document = positives[random.integer(positives.length)];
      if (!known.has(document)) drawn.add(document);
    }
    return [...drawn].map((document) => ({ document, source: this.name }));
  }
}
