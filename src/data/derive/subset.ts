import type { Dataset, Document, Qrels, Query, TrainingExample } from '../dataset.js';

export interface SubsetOptions {
  name?: string;
  keepDocument?: (id: string) => boolean;
  keepQuery?: (id: string) => boolean;
  /** The splits to keep. Default: all. */
  splits?: string[];
}

/**
 * Part of another dataset. Judgments and training examples are cut down to the documents and queries kept; an example
 * that lost all its positives is gone, too.
 */
export class DatasetSubset implements Dataset {
  readonly name: string;
  readonly #base: Dataset;
  readonly #keepDocument: (id: string) => boolean;
  readonly #keepQuery: (id: string) => boolean;
  readonly #splits: string[] | undefined;

  constructor(base: Dataset, options: SubsetOptions) {
    this.name = options.name ?? base.name;
    this.#base = base;
    this.#keepDocument = options.keepDocument ?? (() => true);
    this.#keepQuery = options.keepQuery ?? (() => true);
    this.#splits = options.splits;
  }

  async *documents(): AsyncGenerator<Document> {
    for await (const document of this.#base.documents()) if (this.#keepDocument(document.id)) yield document;
  }

  async *queries(split?: string): AsyncGenerator<Query> {
    for await (const query of this.#base.queries(split)) if (this.#keepQuery(query.id)) yield query;
  }

  async splits(): Promise<string[]> {
    return this.#kept(await this.#base.splits());
  }

  async qrels(split: string): Promise<Qrels> {
    const kept: Qrels = new Map();
    for (const [queryId, judged] of await this.#base.qrels(split)) {
      if (!this.#keepQuery(queryId)) continue;
      const documents = [...judged].filter(([id]) => this.#keepDocument(id));
      if (documents.length > 0) kept.set(queryId, new Map(documents));
    }
    return kept;
  }

  async exampleSplits(): Promise<string[]> {
    return this.#kept((await this.#base.exampleSplits?.()) ?? []);
  }

  async *examples(split: string): AsyncGenerator<TrainingExample> {
    if (!this.#base.examples) return;
    const keep = ({ id }: { id: string }): boolean => this.#keepDocument(id);
    for await (const example of this.#base.examples(split)) {
      if (!this.#keepQuery(example.queryId)) continue;
      const positives = example.positives.filter(keep);
      if (positives.length > 0) yield { ...example, positives, negatives: example.negatives.filter(keep) };
    }
  }

  #kept(splits: string[]): string[] {
    return this.#splits ? splits.filter((split) => this.#splits!.includes(split)) : splits;
  }
}
