import {
  type DenseTensor,
  equal,
  type Graph,
  matmul,
  mul,
  reduceMax,
  toFloat,
  type Value,
  where,
} from '../../engine/index.js';
import type { Loss } from '../../loss/index.js';
import { MASKED } from '../../model/encoder/packed-batch.js';
import type { BatchNegatives } from '../../run/plan.js';
import { lossMasks, type TrainingBatch } from '../task/batch.js';
import { bestPieces, pieceFeeds } from './max-pieces.js';

/** The dimensions of a step's score matrix. */
export const QUERIES = 'queries';
export const DOCUMENTS = 'documents';

export interface ObjectiveOptions {
  loss: Loss;
  /** Scores are multiplied by this before the loss: 1 / temperature. Default 1. */
  scale?: number;
  /** What counts as a negative; the loss's own choice when left out. */
  negatives?: BatchNegatives;
  /** Documents come in up to this many pieces, of which the best counts (MaxP). Default 1. */
  maxPieces?: number;
}

/** The name of the dimension along which documents, or their pieces, are embedded. */
export function embeddedDim({ maxPieces = 1 }: ObjectiveOptions): string {
  return maxPieces > 1 ? 'pieces' : DOCUMENTS;
}

/**
 * From embeddings to the loss: every query's score with every document of the batch, then the loss under the
 * masks fed as `positive` and `negative`. The whole matrix costs little beside encoding, and makes pairwise,
 * n-way and in-batch losses the same computation under different masks.
 */
export function buildObjective(
  graph: Graph,
  embeddings: { queries: Value; documents: Value },
  options: ObjectiveOptions,
): { loss: Value; scores: Value; weight: Value } {
  const { scale = 1, maxPieces = 1 } = options;
  const products = matmul(embeddings.queries, embeddings.documents, { transposeB: true, alpha: scale });
  const dims = { queries: QUERIES, documents: DOCUMENTS, maxPieces };
  return buildLoss(graph, maxPieces > 1 ? bestPieces(graph, products, dims) : products, options);
}

/** From scores [queries, documents] to the loss. */
export function buildLoss(
  graph: Graph,
  scores: Value,
  { loss, negatives = loss.negatives }: Pick<ObjectiveOptions, 'loss' | 'negatives'>,
): { loss: Value; scores: Value; weight: Value } {
  const positive = graph.input('positive', [QUERIES, DOCUMENTS]);
  const allowed = graph.input('negative', [QUERIES, DOCUMENTS]);
  const negative = negatives === 'hardest' ? hardest(scores, allowed) : allowed;
  return { loss: loss.build({ scores, positive, negative }), scores, weight: graph.input('weight', []) };
}

/** The feeds of {@link buildObjective} besides the embeddings. */
export function objectiveFeeds(
  batch: TrainingBatch,
  { loss, negatives = loss.negatives, maxPieces = 1 }: ObjectiveOptions,
  weight = 1,
): Record<string, DenseTensor> {
  return {
    ...lossMasks(batch, negatives),
    ...(maxPieces > 1 && pieceFeeds(batch, maxPieces)),
    weight: { shape: [], data: Float32Array.of(weight) },
  };
}

/** Of the allowed documents, only the best scored of each query; comparing stops gradients. */
function hardest(scores: Value, allowed: Value): Value {
  const candidates = where(equal(allowed, 1), scores, MASKED);
  const best = reduceMax(candidates, { axes: [1], keepDims: true });
  return mul(allowed, toFloat(equal(candidates, best)));
}
