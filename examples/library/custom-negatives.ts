// A source of negatives of your own: documents of the same category as the positive. A draw depends on nothing but the
// query and the random stream, so that it can be repeated.
import { Random } from 'nearmiss/engine';
import type { NegativeSource } from 'nearmiss/negatives';

class SameCategory implements NegativeSource {
  readonly name = 'same-category';
  readonly #byCategory = new Map<string, number[]>();
  readonly #positives: number[][];
  readonly #categories: string[];

  constructor({ categories, positives }: { categories: string[]; positives: number[][] }) {
    this.#categories = categories;
    this.#positives = positives;
    for (const [document, category] of categories.entries()) {
      this.#byCategory.set(category, [...(this.#byCategory.get(category) ?? []), document]);
    }
  }

  sample(query: number, random: Random, count: number) {
    const positives = this.#positives[query] ?? [];
    const category = this.#categories[positives[0] ?? -1] ?? '';
    const near = this.#byCategory.get(category) ?? [];
    const candidates = near.filter((document) => !positives.includes(document));
    return random
      .shuffle(candidates)
      .slice(0, count)
      .map((document) => ({ document, source: this.name }));
  }
}

// Six documents, two categories; query 0 is answered by document 1, query 1 by document 4.
const source = new SameCategory({
  categories: ['bird', 'bird', 'bird', 'fish', 'fish', 'fish'],
  positives: [[1], [4]],
});
for (const query of [0, 1]) {
  const drawn = source.sample(query, Random.from(42, 'negatives', 0, query), 2);
  console.log(
    `query ${query}:`,
    drawn
      .map(({ document }) => document)
      .sort()
      .join(' '),
  );
}
