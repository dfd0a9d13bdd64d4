import type { Dataset, Document, Qrels, Query, TrainingExample } from '../dataset.js';

/**
 * A dataset whose judgments are divided anew. Training examples follow their query; splits that were not divided stay
 * as they were.
 */
export class ResplitDataset implements Dataset {
  readonly name: string;
  readonly #base: Dataset;
  readonly #splits: Map<string, Qrels>;
  readonly #divided: string[];

  constructor(base: Dataset, options: { splits: Map<string, Qrels>; divided: string[] }) {
    this.name = base.name;
    this.#base = base;
    this.#splits = options.splits;
    this.#divided = options.divided;
  }

  documents(): AsyncIterable<Document> {
    return this.#base.documents();
  }

  async *queries(split?: string): AsyncGenerator<Query> {
    const judged = split === undefined ? undefined : await this.qrels(split);
    for await (const query of this.#base.queries()) if (!judged || judged.has(query.id)) yield query;
  }

  async splits(): Promise<string[]> {
    return [...this.#splits.keys(), ...this.#others(await this.#base.splits())];
  }

  async qrels(split: string): Promise<Qrels> {
    return this.#splits.get(split) ?? this.#base.qrels(split);
  }

  async exampleSplits(): Promise<string[]> {
    const before = (await this.#base.exampleSplits?.()) ?? [];
    return before.length === 0 ? [] : [...this.#splits.keys(), ...this.#others(before)];
  }

  async *examples(split: string): AsyncGenerator<TrainingExample> {
    const qrels = this.#splits.get(split);
    if (!qrels) yield* this.#base.examples!(split);
    else {
      for (const before of (await this.#base.exampleSplits?.()) ?? []) {
        if (!this.#divided.includes(before)) continue;
        for await (const example of this.#base.examples!(before))
          if (qrels.has(example.queryId)) yield example;
      }
    }
  }

  #others(splits: string[]): string[] {
    return splits.filter((split) => !this.#divided.includes(split) && !this.#splits.has(split));
  }
}
