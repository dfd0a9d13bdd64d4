import { NearmissError } from '../../base/errors.js';
import type { Dataset, Document, Query } from '../../data/dataset.js';
import { IdTable } from '../../data/id-table.js';
import { openDataset } from '../../data/open.js';
import { openRunData } from '../../run/collection/open-run-data.js';
import { readRunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { StoredDocuments } from '../../search/documents/stored-documents.js';

/** A query that a run learns from. */
export interface TrainingQueryText {
  id: string;
  text: string;
}

export interface FindQueriesOptions {
  /** Words that must all stand in the query's text or id; case does not matter. */
  text?: string;
  /** Matches to leave out. */
  offset: number;
  limit: number;
}

/** What the numbers in a run's tables of negatives stand for: its training queries and its documents. */
export class RunCollection {
  readonly #dataset: Dataset;
  readonly #split: string;
  readonly #documents: StoredDocuments;
  /** Training queries in the order of the run's tables. */
  readonly #places = new IdTable();
  /** For each of them the ids of its positives. */
  readonly #positives: string[][] = [];

  private constructor(dataset: Dataset, split: string, documents: StoredDocuments) {
    this.#dataset = dataset;
    this.#split = split;
    this.#documents = documents;
  }

  /** Builds the run's store of documents before, where there is none. */
  static async open(run: RunDirectory): Promise<RunCollection> {
    const description = await readRunDescription(run);
    const { split } = description;
    const dataset = await openRunData(run, description);
    const files = await openDataset(description.data, { judgments: false });
    const documents = await StoredDocuments.open(run.file('cache', 'search', 'documents'), files);
    const collection = new RunCollection(dataset, split, documents);
    // The same queries in the same order as the Trainer has them: those with a relevant document.
    for (const [id, judgments] of await dataset.qrels(split)) {
      const relevant = [...judgments].filter(([, grade]) => grade > 0).map(([document]) => document);
      if (relevant.length > 0 && collection.#places.add(id)) collection.#positives.push(relevant);
    }
    return collection;
  }

  get queryCount(): number {
    return this.#places.size;
  }

  get documentCount(): number {
    return this.#documents.count;
  }

  /** The place of a training query in the run's tables, or −1. */
  placeOf(query: string): number {
    return this.#places.indexOf(query);
  }

  /** Ids of the documents that are known to answer a training query. */
  positivesAt(place: number): readonly string[] {
    return this.#positives[place];
  }

  documentId(number: number): string {
    return this.#documents.idAt(number);
  }

  /** Documents by id, in the order asked for. */
  async documents(ids: readonly string[]): Promise<Document[]> {
    const found = await this.#documents.getAll(ids);
    return found.map((document, i) => {
      if (document) return document;
      throw new NearmissError(`${this.#dataset.name}: no document "${ids[i]}"`, {
        hint: 'the collection has changed since the run began',
      });
    });
  }

  /** A page of the training queries, as the collection orders them. */
  async findQueries({
    text = '',
    offset,
    limit,
  }: FindQueriesOptions): Promise<{ queries: TrainingQueryText[]; more: boolean }> {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const queries: TrainingQueryText[] = [];
    let skipped = 0;
    for await (const query of this.#trainingQueries()) {
      const haystack = `${query.id} ${query.text}`.toLowerCase();
      if (!words.every((word) => haystack.includes(word))) continue;
      if (skipped++ < offset) continue;
      if (queries.length === limit) return { queries, more: true };
      queries.push({ id: query.id, text: query.text });
    }
    return { queries, more: false };
  }

  /** A training query's text. */
  async queryText(id: string): Promise<string | undefined> {
    for await (const query of this.#trainingQueries()) if (query.id === id) return query.text;
    return undefined;
  }

  async close(): Promise<void> {
    await this.#documents.close();
  }

  async *#trainingQueries(): AsyncGenerator<Query> {
    for await (const query of this.#dataset.queries(this.#split)) {
      if (this.#places.has(query.id)) yield query;
    }
  }
}
