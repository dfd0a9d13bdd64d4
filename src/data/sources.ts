import type { Document, Judgment, Query } from './dataset.js';
import type { OnProblem } from './problem.js';

/** A record and where it stands. */
export interface Located<T> {
  value: T;
  file: string;
  /** Counted from 1. */
  line: number;
}

/** A file (or several) of records of one kind, read as a stream as often as wanted. */
export interface RecordSource<T> {
  readonly file: string;
  read(onProblem: OnProblem): AsyncIterable<Located<T>>;
}

/** A document in a training file: with its text, or named by its id only. */
export interface ExampleDocument {
  document: { id: string } & Partial<Document>;
  score?: number;
}

/** A training example as files hold it: texts may be inside, or in the collection beside it. */
export interface RawExample {
  query: { id: string } & Partial<Query>;
  positives: ExampleDocument[];
  negatives: ExampleDocument[];
}

/** What a reader found: the parts of a collection, each of which may be missing. */
export interface Sources {
  name: string;
  /** The format's name, e.g. `beir`. */
  format: string;
  documents: RecordSource<Document>[];
  queries: RecordSource<Query>[];
  /** By split. */
  qrels: Map<string, RecordSource<Judgment>>;
  /** By split. */
  examples: Map<string, RecordSource<RawExample>>;
}
