/** One thing that can be found: a passage or a whole document. */
export interface Document {
  id: string;
  /** Absent or empty where the collection has none. */
  title?: string;
  text: string;
  metadata?: Record<string, unknown>;
}

/** One thing that is asked. `metadata.answers` holds answer strings where the collection has them. */
export interface Query {
  id: string;
  text: string;
  metadata?: Record<string, unknown>;
}

/** Relevance judgments: query id → document id → grade (0 or less is judged and not relevant). */
export type Qrels = Map<string, Map<string, number>>;

/** One judged pair. */
export interface Judgment {
  queryId: string;
  documentId: string;
  grade: number;
}

/** A document named by a training example, with a teacher's or a retriever's score where the file has one. */
export interface ScoredId {
  id: string;
  score?: number;
}

/**
 * One query to learn from, with negatives that were chosen beforehand and stay the same ("static negatives").
 * Ids are those of the dataset's documents and queries.
 */
export interface TrainingExample {
  queryId: string;
  positives: ScoredId[];
  negatives: ScoredId[];
}

/**
 * A collection, read as a stream: however large, only one record at a time is in memory. Ids are strings at
 * this edge; everything inside works on dense integers in reading order.
 *
 * @example
 * const dataset = await openDataset('data/scifact');
 * for await (const document of dataset.documents()) console.log(document.id, document.title);
 * const qrels = await dataset.qrels('test');
 */
export interface Dataset {
  /** What to call it in tables, usually the folder's name. */
  readonly name: string;
  documents(): AsyncIterable<Document>;
  /** Every query, or only those that have judgments in `split`. */
  queries(split?: string): AsyncIterable<Query>;
  /** Names of the splits that have judgments, e.g. `['train', 'dev', 'test']`. */
  splits(): Promise<string[]>;
  qrels(split: string): Promise<Qrels>;
  /** Names of the splits that have training examples; absent where the kind of source has none. */
  exampleSplits?(): Promise<string[]>;
  /** Training examples with static negatives, in the order of the file. */
  examples?(split: string): AsyncIterable<TrainingExample>;
}

/** Title and text as one string, as Anserini's flat index and sentence-transformers' BEIR loader join them. */
export function fullText(document: Document): string {
  return document.title ? `${document.title} ${document.text}` : document.text;
}
