import { type BatchMembers, type BatchSource, inBatchNegatives } from './in-batch.js';

/** The best scored of the in-batch negatives ("NCE Neg"); which one that is, the scores of the step decide. */
export const hardestInBatch: BatchSource = { name: 'hardest-in-batch', select: 'hardest' };

/**
 * For each query of a batch the place of its hardest in-batch negative, the first of equals, or −1 where every
 * document is relevant to it.
 *
 * @param scores queries × documents, as a step computed them
 */
export function hardestNegatives(batch: BatchMembers, scores: Float32Array): Int32Array {
  const columns = batch.documents.length;
  return Int32Array.from(inBatchNegatives(batch), (places, row) =>
    places.reduce(
      (best, place) =>
        best < 0 || scores[row * columns + place] > scores[row * columns + best] ? place : best,
      -1,
    ),
  );
}
