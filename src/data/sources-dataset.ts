import { NearmissError } from '../base/errors.js';
import type { Dataset, Document, Qrels, Query, TrainingExample } from './dataset.js';
import { IdTable } from './id-table.js';
import { type OnProblem, throwProblem } from './problem.js';
import { collectQrels } from './qrels.js';
import type { ExampleDocument, RecordSource, Sources } from './sources.js';

/**
 * A dataset made of the parts that a reader found. Documents and queries that stand inside training examples are
 * part of the collection, each once; where there are no judgments, the examples' positives are the judgments.
 */
export class SourcesDataset implements Dataset {
  readonly name: string;
  readonly sources: Sources;
  readonly #onProblem: OnProblem;

  constructor(sources: Sources, onProblem: OnProblem = throwProblem) {
    this.name = sources.name;
    this.sources = sources;
    this.#onProblem = onProblem;
  }

  async *documents(): AsyncGenerator<Document> {
    const { documents, examples } = this.sources;
    if (examples.size === 0) yield* this.#records(documents);
    else yield* this.#once(documents, this.#embeddedDocuments());
  }

  async *queries(split?: string): AsyncGenerator<Query> {
    const judged = split === undefined ? undefined : await this.qrels(split);
    for await (const query of this.#allQueries()) if (!judged || judged.has(query.id)) yield query;
  }

  async splits(): Promise<string[]> {
    return [...new Set([...this.sources.qrels.keys(), ...this.sources.examples.keys()])];
  }

  async qrels(split: string): Promise<Qrels> {
    const source = this.sources.qrels.get(split);
    if (source) return collectQrels(source, this.#onProblem);
    if (!this.sources.examples.has(split)) throw unknownSplit(this.name, split, await this.splits());
    const qrels: Qrels = new Map();
    for await (const { queryId, positives } of this.examples(split)) {
      const judged = qrels.get(queryId) ?? new Map<string, number>();
      for (const { id } of positives) judged.set(id, 1);
      qrels.set(queryId, judged);
    }
    return qrels;
  }

  async exampleSplits(): Promise<string[]> {
    return [...this.sources.examples.keys()];
  }

  async *examples(split: string): AsyncGenerator<TrainingExample> {
    const source = this.sources.examples.get(split);
    if (!source) throw unknownSplit(this.name, split, await this.exampleSplits());
    for await (const { value } of source.read(this.#onProblem)) {
      yield {
        queryId: value.query.id,
        positives: value.positives.map(toScoredId),
        negatives: value.negatives.map(toScoredId),
      };
    }
  }

  #allQueries(): AsyncGenerator<Query> {
    const { queries, examples } = this.sources;
    const unique = queries.length <= 1 && examples.size === 0;
    return unique ? this.#records(queries) : this.#once(queries, this.#embeddedQueries());
  }

  async *#records<T>(sources: RecordSource<T>[]): AsyncGenerator<T> {
    for (const source of sources) {
      for await (const { value } of source.read(this.#onProblem)) yield value;
    }
  }

  async *#once<T extends { id: string }>(
    sources: RecordSource<T>[],
    embedded: AsyncGenerator<T>,
  ): AsyncGenerator<T> {
    const seen = new IdTable();
    for (const source of sources) {
      for await (const { value } of source.read(this.#onProblem)) if (seen.add(value.id)) yield value;
    }
    for await (const value of embedded) if (seen.add(value.id)) yield value;
  }

  async *#embeddedDocuments(): AsyncGenerator<Document> {
    for (const source of this.sources.examples.values()) {
      for await (const { value } of source.read(this.#onProblem)) {
        for (const { document } of [...value.positives, ...value.negatives])
          if (hasText(document)) yield document;
      }
    }
  }

  async *#embeddedQueries(): AsyncGenerator<Query> {
    for (const source of this.sources.examples.values()) {
      for await (const { value } of source.read(this.#onProblem)) if (hasText(value.query)) yield value.query;
    }
  }
}

function toScoredId({ document, score }: ExampleDocument): { id: string; score?: number } {
  return score === undefined ? { id: document.id } : { id: document.id, score };
}

function hasText<T extends { text?: string }>(record: T): record is T & { text: string } {
  return record.text !== undefined;
}

function unknownSplit(name: string, split: string, splits: string[]): NearmissError {
  return new NearmissError(`${name}: no split "${split}"`, {
    hint: splits.length > 0 ? `it has: ${splits.join(', ')}` : 'it has no judgments at all',
  });
}
