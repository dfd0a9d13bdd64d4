import type { z } from 'zod';
import type { Kind, OptionsOf } from '../base/registry.js';
import type { Value } from '../engine/index.js';

/** What every loss sees of a batch. */
export interface LossInputs {
  /** [queries, documents]: each query's score with every document of the batch, already scaled. */
  scores: Value;
  /** [queries, documents]: 1 at each query's positive, else 0. Every row has exactly one. */
  positive: Value;
  /** [queries, documents]: 1 at each query's negatives, else 0. Rows of `own` and of the `batch` have at least one. */
  negative: Value;
  /** For losses that need a `teacher`. */
  teacher?: TeacherInputs;
  /** [queries, documents]: the grade of each document that is known to be relevant, else 0. For losses that need `gains`. */
  gains?: Value;
  /** For losses that need `lists`. */
  lists?: ListInputs;
  /** For losses that need `vectors`. */
  vectors?: VectorInputs;
  /** [queries, size] and [documents, size], for losses that need the texts' `rows`. */
  rows?: { queries: Value; documents: Value };
  /** How much of the stage is over, from 0 to 1, for losses that need `progress`. */
  progress?: Value;
  /** For losses that need `prefixes`. */
  prefixes?: PrefixInputs;
}

export interface TeacherInputs {
  /** [queries, documents]: what the teacher gives, 0 where that is not known. */
  scores: Value;
  /** [queries, documents]: 1 where the teacher's score is known, else 0. */
  known: Value;
}

/**
 * Each query's relevant documents and own negatives side by side: what compares all of a query's documents with each
 * other cannot do so over the whole batch.
 */
export interface ListInputs {
  /** [queries, list]: scores, 0 behind the end of a list. */
  scores: Value;
  /** [queries, list]: grades of the relevant documents, 0 of the others. */
  gains: Value;
  /** [queries, list]: 1 for each document of the list, 0 behind its end. */
  present: Value;
  /** [queries, list]: each document's rank from 1, were they ordered by their gains. */
  ideal: Value;
}

/** Vectors of the batch's texts, by the student and by the teacher. */
export interface VectorInputs {
  /** [queries, size] */
  queries: Value;
  /** [documents, size] */
  documents: Value;
  /** The same by the teacher; `known` is [documents], 0 where it has no vector of a document. */
  teacher: { queries: Value; documents: Value; known: Value };
}

/** Scores by the first numbers of the texts' vectors. */
export interface PrefixInputs {
  /** Numbers of a whole vector. */
  size: number;
  /** [queries, documents]: like `scores`, by so many first numbers, made length 1 again where whole vectors are. */
  scores(dimensions: number): Value;
}

/**
 * Which documents of the batch are a query's negatives: its `own` sampled ones, all of the `batch` that are not known to
 * be relevant to it, or of those only the `positives` of other queries.
 */
export type LossNegatives = 'own' | 'batch' | 'positives';

/** What a loss may ask for besides scores and masks. */
export type LossNeed = 'teacher' | 'gains' | 'lists' | 'vectors' | 'prefixes' | 'rows' | 'progress';

/**
 * A training objective. Which documents are a query's negatives is not its business but the batch's; it only
 * says how scores become one number.
 */
export interface Loss {
  readonly name: string;
  readonly negatives: LossNegatives;
  readonly needs?: readonly LossNeed[];
  build(inputs: LossInputs): Value;
}

/** A value of the loss axis. */
export interface LossKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  create(options: OptionsOf<Shape>): Loss;
}

/** Gives a kind's options their types. */
export function lossKind<Shape extends z.ZodRawShape>(kind: LossKind<Shape>): LossKind {
  return kind as unknown as LossKind;
}
