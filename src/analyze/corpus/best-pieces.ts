import { innerProduct } from '../../base/inner-product.js';
import type { DrawnNegatives } from './draw-negatives.js';
import type { ExactCorpus } from './exact-corpus.js';
import type { SampledQuery } from './sample.js';

/**
 * Fetches the vectors of all positives and drawn negatives, and gives the function that finds the one a document is
 * scored by for a query: its only one or, where documents have pieces (MaxP), its best piece's.
 */
export async function bestPieces(
  corpus: ExactCorpus,
  queries: readonly SampledQuery[],
  drawn: readonly DrawnNegatives[],
): Promise<(query: number, document: number) => Float32Array> {
  const positives = queries.map(({ positive }) => positive);
  const negatives = drawn.flatMap(({ documents }) => documents.flatMap((list) => [...list]));
  const vectors = await corpus.vectorsOf([...new Set([...positives, ...negatives])]);
  return (query, document) => {
    const pieces = vectors.get(document)!;
    const { vector } = queries[query];
    const score = (piece: Float32Array): number => innerProduct(vector, piece);
    return pieces.reduce((best, piece) => (score(piece) > score(best) ? piece : best));
  };
}
