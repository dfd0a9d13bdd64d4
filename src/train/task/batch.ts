import type { DenseTensor } from '../../engine/index.js';
import type { TokenizedText } from '../../model/encoder/packed-batch.js';
import type { BatchNegatives } from '../../run/plan.js';

/** What one step learns from. Every text stands here once, however often it is used. */
export interface TrainingBatch {
  queries: TokenizedText[];
  /** Documents, or with `pieceOffsets` the pieces of documents (MaxP). */
  documents: TokenizedText[];
  /** The pieces of document `i` are `documents[pieceOffsets[i]] … documents[pieceOffsets[i + 1] - 1]`. */
  pieceOffsets?: readonly number[];
  /** For each query, the document that answers it. */
  positives: readonly number[];
  /** For each query, the documents sampled as its negatives. */
  negatives: readonly (readonly number[])[];
  /** For each query, documents of the batch known to be relevant to it, which must not count as negatives. */
  known?: readonly (readonly number[])[];
}

export function documentCount(batch: TrainingBatch): number {
  return batch.pieceOffsets ? batch.pieceOffsets.length - 1 : batch.documents.length;
}

/** Tokens of a batch in which every text is encoded once. */
export function tokenCount(batch: TrainingBatch): number {
  const count = (sum: number, { ids }: TokenizedText): number => sum + ids.length;
  return batch.documents.reduce(count, batch.queries.reduce(count, 0));
}

/** The masks a loss works with. */
export function lossMasks(
  batch: TrainingBatch,
  negatives: BatchNegatives,
): { positive: DenseTensor; negative: DenseTensor } {
  const [rows, columns] = [batch.queries.length, documentCount(batch)];
  const shape = [rows, columns];
  const positive = new Float32Array(rows * columns);
  const negative = new Float32Array(rows * columns);
  for (let q = 0; q < rows; q++) {
    const row = negative.subarray(q * columns, (q + 1) * columns);
    if (negatives === 'own') for (const document of batch.negatives[q]) row[document] = 1;
    else row.fill(1);
    for (const document of batch.known?.[q] ?? []) row[document] = 0;
    row[batch.positives[q]] = 0;
    positive[q * columns + batch.positives[q]] = 1;
  }
  return { positive: { shape, data: positive }, negative: { shape, data: negative } };
}
