import type { z } from 'zod';
import type { Kind, OptionsOf } from '../base/registry.js';
import type { Dataset } from '../data/index.js';
import type { SessionOptions } from '../engine/index.js';
import type { TextPair } from '../text/tokenizer.js';

/** What a teacher is asked about: every pair of these, of which it may know some. */
export interface TaughtBatch {
  /** Queries by their numbers among the examples: those of training queries, where the kind needs them. */
  readonly members: readonly number[];
  /** Documents by their numbers in the collection; −1 for texts that are not of the collection. */
  readonly documents: readonly number[];
  /** Whether a loss looks at a pair, so that no other is scored for nothing. */
  wanted(query: number, document: number): boolean;
}

/** Queries × documents, row by row. */
export interface TeacherScores {
  /** 0 where it is not known. */
  scores: Float32Array;
  /** 1 where the teacher has a score, else 0. */
  known: Float32Array;
}

/** A teacher's vectors of a batch's texts, one after another, as wide as the student's. */
export interface TaughtVectors {
  queries: Float32Array;
  /** 0 where the teacher has none. */
  documents: Float32Array;
  /** For each document 1 where the teacher has a vector, else 0. */
  known: Float32Array;
}

/** Somebody to learn from who knows better: scores for pairs of query and document. */
export interface Teacher {
  scores(batch: TaughtBatch): Promise<TeacherScores>;
  /** Scores of any texts, where it can read some: whether it is ahead of its student is seen on queries that nobody learns from. */
  pairs?(ofOneQuery: readonly TextPair[]): Promise<Float32Array>;
  /** For losses that learn vectors; only of kinds that say so. */
  vectors?(batch: Omit<TaughtBatch, 'wanted'>): Promise<TaughtVectors>;
  close(): Promise<void>;
}

/** Texts of a collection, for teachers that read them. */
export interface TaughtTexts {
  /** Of a query by its number in the collection. */
  query(number: number): string;
  document(number: number): string;
  close(): Promise<void>;
}

/** What a teacher may use of the run it serves. */
export interface TeacherContext {
  readonly dataset: Dataset;
  readonly split: string;
  /** Where the collection is. */
  readonly data: string;
  /** A training query's number by its id, −1 where it is none. */
  memberOf(queryId: string): number;
  /** A document's number by its id, −1 where there is none. */
  documentOf(documentId: string): number;
  /** Positives of each training query. */
  positives(member: number): Int32Array;
  readonly memberCount: number;
  readonly documentCount: number;
  /** A training query's number in the collection. */
  queryOf(member: number): number;
  /** Opens the texts; whoever does closes them. */
  texts(): Promise<TaughtTexts>;
  /** The model that a path stands for: the best one of a run, or the folder itself. */
  modelFolder(path: string): Promise<string>;
  /** Stands for the documents and training queries, where a run knows it. */
  readonly dataFingerprint?: string;
  readonly session: SessionOptions;
  /** Numbers in a vector of the student; none where it makes no vectors. */
  readonly size?: number;
  readonly seed: number;
  /** Tells what is not as it might be, and is no error. */
  warn(message: string): Promise<void>;
  /** The path of a file that a recipe names, which may be what an earlier stage made. */
  locate(file: string): Promise<string>;
}

/** A value of the teacher axis. */
export interface TeacherKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** Asked before a run begins; fails with what is missing. */
  require?(options: OptionsOf<Shape>, dataset: Dataset): Promise<void>;
  /** Whether it knows queries as training queries, and not examples of other kinds. */
  readonly needsTrainingQueries?: boolean;
  /** Whether it reads the texts of batches, which frozen sides do not have. */
  readonly readsBatches?: boolean;
  /** Whether it has vectors of texts, too. */
  readonly makesVectors?: boolean;
  /** `undefined` where nobody teaches. Left out by those that learn with the student: `train/` opens these. */
  open?(options: OptionsOf<Shape>, context: TeacherContext): Promise<Teacher | undefined>;
}

/** Gives a kind's options their types. */
export function teacherKind<Shape extends z.ZodRawShape>(kind: TeacherKind<Shape>): TeacherKind {
  return kind as unknown as TeacherKind;
}
