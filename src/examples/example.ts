import type { z } from 'zod';
import type { Kind, OptionsOf } from '../base/registry.js';
import type { Dataset } from '../data/index.js';
import type { Random } from '../engine/index.js';
import type { TokenizedText } from '../model/index.js';

/** A text to learn from: a query or document of the collection by its number, or tokens of its own. */
export type ExampleText = number | TokenizedText;

/** A query and a document that answers it. */
export interface Example {
  query: ExampleText;
  positive: ExampleText;
  /** Documents that do not answer it, where the source knows some: its own negatives, besides those of the recipe. */
  negatives?: readonly ExampleText[];
}

/** Where a stage's queries and positives come from. Example `n` may be another pair each time it is asked for. */
export interface ExampleSource {
  readonly count: number;
  /** How many of them, the first ones, are training queries, where not all are: only for these sources draw negatives. */
  readonly trainingQueries?: number;
  /** Everything that is up to chance is drawn from `random`, first of all draws of a step. */
  at(example: number, random: Random): Promise<Example>;
  /** The documents of the collection that are relevant to an example, ascending: none of them is its negative. */
  relevant(example: number): Int32Array;
  /** How relevant they are, in the same order. */
  grades(example: number): Float32Array;
  close?(): Promise<void>;
}

/** What an example source may use of the run it serves. */
export interface ExamplesContext {
  readonly dataset: Dataset;
  /** The queries of the training split with their judgments. */
  readonly training: readonly { query: number; positives: Int32Array; grades: Float32Array }[];
  readonly documentCount: number;
  readonly seed: number;
  /** Stands for the documents and training queries, where a run knows it. */
  readonly dataFingerprint?: string;
  /** The path of a file that a recipe names, which may be what an earlier stage made. */
  locate(file: string): Promise<string>;
  /** Tokens as the model reads a query or a document, its special tokens included. */
  tokenize(texts: readonly string[], use: 'query' | 'document'): Promise<TokenizedText[]>;
  /** The tokens of documents of the collection, as many as the model reads of each. */
  documents(numbers: readonly number[]): Promise<TokenizedText[]>;
}

/** What a kind of examples makes a collection with queries of its own from. */
export interface OwnQueriesContext {
  readonly dataset: Dataset;
  /** What the split is to be called that has the queries to learn from. */
  readonly split: string;
  /** The split that some of them are to be held out as, where nothing else is there to measure on. */
  readonly heldOut?: string;
  /** The path of a file that a recipe names, which may be what an earlier stage made. */
  locate(file: string): Promise<string>;
}

/** A collection with other queries, and what stands for them. */
export interface OwnQueries {
  dataset: Dataset;
  fingerprint: string;
}

/** A value of the examples axis. */
export interface ExamplesKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** Whether example `n` is training query `n`: only these have rankings to draw negatives from, and teachers' scores. */
  readonly trainingQueries?: boolean;
  /** Whether the two texts of an example differ by dropout alone, so that a model without it learns nothing. */
  readonly needsDropout?: boolean;
  /** Whether there are others behind them, which teachers and searches of training queries do not know. */
  readonly hasOthers?: boolean;
  /**
   * The collection with queries of its own as the training split: what such a stage mines, labels and learns from. Left out
   * by kinds whose queries are those of the collection, or are made while it is learned.
   */
  ownQueries?(options: OptionsOf<Shape>, context: OwnQueriesContext): Promise<OwnQueries>;
  open(options: OptionsOf<Shape>, context: ExamplesContext): Promise<ExampleSource>;
}

/** Gives a kind's options their types. */
export function examplesKind<Shape extends z.ZodRawShape>(kind: ExamplesKind<Shape>): ExamplesKind {
  return kind as unknown as ExamplesKind;
}
