import { type Dataset, MADE_SPLIT, type Qrels, type Query } from '../data/index.js';
import { POSITIVE_FIELD } from '../examples/index.js';
import type { MadeQuery } from './made-queries.js';
import type { Questions } from './questions.js';

/** The split of people's own questions. */
export const QUESTIONS_SPLIT = 'questions';
export const TRAIN_SPLIT = 'train';

/** A collection's documents with queries that were made of them as its splits, and with questions of people. */
export class AdaptedDataset implements Dataset {
  readonly name: string;
  readonly #base: Dataset;
  readonly #queries: Query[] = [];
  readonly #splits = new Map<string, Qrels>();

  private constructor(base: Dataset) {
    this.name = base.name;
    this.#base = base;
  }

  static async create(
    base: Dataset,
    made: readonly MadeQuery[],
    questions?: Questions,
  ): Promise<AdaptedDataset> {
    const dataset = new AdaptedDataset(base);
    const ids = await idsOf(base, new Set(made.map(({ document }) => document)));
    for (const [i, { query, document, positive, maker, heldOut }] of made.entries()) {
      const id = `${maker}-${i + 1}`;
      const metadata = { maker, ...(!heldOut && positive !== undefined && { [POSITIVE_FIELD]: positive }) };
      dataset.#queries.push({ id, text: query, metadata });
      dataset.#judge(heldOut ? MADE_SPLIT : TRAIN_SPLIT, id, ids.get(document)!);
    }
    for (const { id, text } of questions?.queries ?? []) dataset.#queries.push({ id, text });
    for (const { queryId, documentId } of questions?.judgments ?? []) {
      dataset.#judge(QUESTIONS_SPLIT, queryId, documentId);
    }
    return dataset;
  }

  #judge(split: string, query: string, document: string): void {
    const qrels = this.#splits.get(split) ?? new Map<string, Map<string, number>>();
    this.#splits.set(split, qrels.set(query, (qrels.get(query) ?? new Map()).set(document, 1)));
  }

  documents(): ReturnType<Dataset['documents']> {
    return this.#base.documents();
  }

  async *queries(split?: string): AsyncGenerator<Query> {
    const judged = split === undefined ? undefined : await this.qrels(split);
    for (const query of this.#queries) if (!judged || judged.has(query.id)) yield query;
  }

  async splits(): Promise<string[]> {
    return [...this.#splits.keys()];
  }

  async qrels(split: string): Promise<Qrels> {
    return this.#splits.get(split) ?? new Map();
  }
}

/** The ids of some documents by their numbers. */
async function idsOf(dataset: Dataset, numbers: ReadonlySet<number>): Promise<Map<number, string>> {
  const ids = new Map<number, string>();
  let number = 0;
  for await (const { id } of dataset.documents()) {
    if (numbers.has(number)) ids.set(number, id);
    number++;
  }
  return ids;
}
