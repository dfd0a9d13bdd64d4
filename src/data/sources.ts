import { docPage } from '../base/package-files.js';
import type { Document, Judgment, Query } from './dataset.js';
import type { OnProblem } from './problem.js';

/** A record and where it stands. */
export interface Located<T> {
  value: T;
  file: string;
  /** Counted from 1. */
  line: number;
}

/** A file of records of one kind, read as a stream as often as wanted. */
export interface RecordSource<T> {
  readonly file: string;
  /** The format names the same record on several lines; only its first appearance counts. */
  readonly repeats?: boolean;
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

/** A file of training examples. */
export interface ExampleSource extends RecordSource<RawExample> {
  /** Whether the texts of documents and of queries stand inside the examples. */
  readonly embeds: { documents: boolean; queries: boolean };
  /** Once it was read: which of a table's columns are what, for people. */
  columns?(): string | undefined;
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
  examples: Map<string, ExampleSource>;
  /** Files of the folder that belong to the format and are not read. */
  ignored?: string[];
  /** How many files of each ending that is not read a folder of texts has beside its own. */
  leftOut?: Record<string, number>;
}

/** A source that must hold records: a file of another kind gives none, and would pass for an empty collection. */
export function nonEmpty<S extends RecordSource<unknown>>(source: S, what: string): S {
  const read: S['read'] = async function* (onProblem) {
    let silent = true;
    const watch: OnProblem = (problem) => {
      silent &&= problem.severity !== 'error';
      onProblem(problem);
    };
    for await (const record of source.read(watch)) {
      silent = false;
      yield record;
    }
    if (silent) reportEmpty(source.file, what, onProblem);
  };
  return { ...source, read };
}

function reportEmpty(file: string, what: string, onProblem: OnProblem): void {
  onProblem({
    severity: 'error',
    code: 'empty-file',
    file,
    message: `expected ${what}, got none`,
    hint: `is it the right file, and of the right format? ${docPage('formats')} shows each`,
  });
}

/** A source of the records that stand inside another one's; they may come several times. */
export function flatMapSource<A, B>(source: RecordSource<A>, extract: (value: A) => B[]): RecordSource<B> {
  return {
    file: source.file,
    repeats: true,
    async *read(onProblem) {
      for await (const { value, file, line } of source.read(onProblem)) {
        for (const inner of extract(value)) yield { value: inner, file, line };
      }
    },
  };
}
