import { oneOf } from '../base/settings.js';
import { add, div, mul, reduceSum, sub, type Value } from '../engine/index.js';
import { type Loss, lossKind } from './loss.js';

export interface EmbeddingMseOptions {
  /** Whose vectors learn. */
  texts?: 'both' | 'queries' | 'documents';
}

/**
 * The student's vectors are to be the teacher's: squared distance, mean over the batch's texts of which the teacher has a
 * vector. (PyTorch's `MSELoss` also divides by the size of a vector, which makes it hundreds of times smaller.)
 */
export function embeddingMse({ texts = 'both' }: EmbeddingMseOptions = {}): Loss {
  return {
    name: 'embedding-mse',
    negatives: 'own',
    needs: ['vectors'],
    build({ vectors }) {
      const { queries, documents, teacher } = vectors!;
      const ofQueries = squaredDistances(queries, teacher.queries);
      const ofDocuments = mul(squaredDistances(documents, teacher.documents), teacher.known);
      const counts = { queries: reduceSum(add(mul(ofQueries, 0), 1)), documents: reduceSum(teacher.known) };
      if (texts === 'queries') return div(reduceSum(ofQueries), counts.queries);
      if (texts === 'documents') return div(reduceSum(ofDocuments), add(counts.documents, 1e-12));
      return div(add(reduceSum(ofQueries), reduceSum(ofDocuments)), add(counts.queries, counts.documents));
    },
  };
}

/** [texts] */
function squaredDistances(rows: Value, others: Value): Value {
  const difference = sub(rows, others);
  return reduceSum(mul(difference, difference), { axes: [1] });
}

export const embeddingMseKind = lossKind({
  name: 'embedding-mse',
  description: "vectors are to be the teacher's (needs a teacher that has some: `encoder`)",
  options: {
    texts: oneOf('both', 'queries', 'documents').default('both').describe('whose vectors learn from it'),
  },
  create: embeddingMse,
});
