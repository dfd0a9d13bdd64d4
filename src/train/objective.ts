import { type DenseTensor, type Graph, matmul, type Value } from '../engine/index.js';
import type { Loss } from '../loss/index.js';
import { lossMasks, type TrainingBatch } from './batch.js';

/** The dimensions of a step's score matrix. */
export const QUERIES = 'queries';
export const DOCUMENTS = 'documents';

export interface ObjectiveOptions {
  loss: Loss;
  /** Scores are multiplied by this before the loss: 1 / temperature. Default 1. */
  scale?: number;
}

/**
 * From embeddings to the loss: every query's score with every document of the batch, then the loss under the
 * masks fed as `positive` and `negative`. The whole matrix costs little beside encoding, and makes pairwise,
 * n-way and in-batch losses the same computation under different masks.
 */
export function buildObjective(
  graph: Graph,
  embeddings: { queries: Value; documents: Value },
  { loss, scale = 1 }: ObjectiveOptions,
): { loss: Value; scores: Value; weight: Value } {
  const positive = graph.input('positive', [QUERIES, DOCUMENTS]);
  const negative = graph.input('negative', [QUERIES, DOCUMENTS]);
  const scores = matmul(embeddings.queries, embeddings.documents, { transposeB: true, alpha: scale });
  return { loss: loss.build({ scores, positive, negative }), scores, weight: graph.input('weight', []) };
}

/** The feeds of {@link buildObjective} besides the embeddings. */
export function objectiveFeeds(batch: TrainingBatch, loss: Loss, weight = 1): Record<string, DenseTensor> {
  return { ...lossMasks(batch, loss.negatives), weight: { shape: [], data: Float32Array.of(weight) } };
}
