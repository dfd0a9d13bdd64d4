import type { EncodedTexts, TokenizedText } from '../../model/index.js';
import type { TeacherScores } from '../../teacher/index.js';

/** What Trainer and Learner know of a batch: how many examples it has, which weighs it among a step's batches. */
export interface Batch {
  readonly examples: number;
}

/** What one step of retrieval learns from. Every text stands here once, however often it is used. */
export interface RetrievalBatch extends Batch {
  queries: TokenizedText[];
  /** Documents, or with `pieceOffsets` the pieces of documents (MaxP); none where `documentRows` has their rows. */
  documents: TokenizedText[];
  /** The pieces of document `i` are `documents[pieceOffsets[i]] … documents[pieceOffsets[i + 1] - 1]`. */
  pieceOffsets?: readonly number[];
  /** The documents as they were encoded beforehand, where they do not learn. */
  documentRows?: EncodedTexts;
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
}

export function documentCount(batch: RetrievalBatch): number {
  if (batch.documentRows) return batch.documentRows.offsets.length - 1;
  return batch.pieceOffsets ? batch.pieceOffsets.length - 1 : batch.documents.length;
}

/** Tokens of a batch in which every text is encoded once. */
export function tokenCount(batch: RetrievalBatch): number {
  const count = (sum: number, { ids }: TokenizedText): number => sum + ids.length;
  return batch.documents.reduce(count, batch.queries.reduce(count, 0));
}
