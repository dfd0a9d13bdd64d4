import type { EncodedTexts, TokenizedText } from '../../model/index.js';
import type { Side } from '../../model/side.js';
import type { TaughtVectors, TeacherScores } from '../../teacher/index.js';

/** What Trainer and Learner know of a batch: how many examples it has, which weighs it among a step's batches. */
export interface Batch {
  readonly examples: number;
}

/** What one step of retrieval learns from. Every text stands here once, however often it is used. */
export interface RetrievalBatch extends Batch {
  /** None where `rows` has those of queries. */
  queries: TokenizedText[];
  /** Documents, or with `pieceOffsets` the pieces of documents (MaxP); none where `rows` has theirs. */
  documents: TokenizedText[];
  /** The pieces of document `i` are `documents[pieceOffsets[i]] … documents[pieceOffsets[i + 1] - 1]`. */
  pieceOffsets?: readonly number[];
  /** The texts of a side that does not learn, encoded beforehand. */
  rows?: Partial<Record<Side, EncodedTexts>>;
  /** For each query, the document that answers it. */
  positives: readonly number[];
  /** For each query, the documents sampled as its negatives. */
  negatives: readonly (readonly number[])[];
  /** For each query, documents of the batch known to be relevant to it, which must not count as negatives. */
  known?: readonly (readonly number[])[];
  /** How relevant those of `known` are, in the same order; 1 where not given. */
  grades?: readonly (readonly number[])[];
  /** For losses that learn from a teacher. */
  teacher?: TeacherScores;
  /** For losses with a teacher of their own, by the loss's place among the stage's. */
  lossTeachers?: ReadonlyMap<number, TeacherScores>;
  /** For losses that learn a teacher's vectors. */
  teacherVectors?: TaughtVectors;
  /**
   * For each query, documents of the batch that must not count as negatives: a guide holds them for relevant, or they only
   * fill the batch up.
   */
  masked?: readonly (readonly number[])[];
}

/**
 * Documents that a batch has at least: a step's graph has this many groups of texts, none of them empty. Where there are
 * fewer, the first is read again, and masked.
 */
export const LEAST_DOCUMENTS = 3;

export function queryCount({ positives }: RetrievalBatch): number {
  return positives.length;
}

export function documentCount(batch: RetrievalBatch): number {
  if (batch.rows?.documents) return batch.rows.documents.offsets.length - 1;
  return batch.pieceOffsets ? batch.pieceOffsets.length - 1 : batch.documents.length;
}

/** The documents sampled as a query's negatives, each once, without those that are known to be relevant to it. */
export function ownNegatives(batch: RetrievalBatch, query: number): number[] {
  const { positives, negatives, known, masked } = batch;
  const relevant = new Set([...(known?.[query] ?? []), ...(masked?.[query] ?? []), positives[query]]);
  return [...new Set(negatives[query])].filter((document) => !relevant.has(document));
}

/** Tokens that a step encodes, each text once. */
export function tokenCount(batch: RetrievalBatch): number {
  const count = (sum: number, { ids }: TokenizedText): number => sum + ids.length;
  return batch.documents.reduce(count, batch.queries.reduce(count, 0));
}
