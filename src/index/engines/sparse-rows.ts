import { type EncodedTexts, rowsOf } from '../../model/encoder/encoded-texts.js';
import { documentImpacts, queryImpacts } from '../../model/scorer/impact.js';
import { IMPACT_SCALE } from '../impacts/impact-scale.js';
import type { SparseRows } from './engine.js';

/** Documents whose rows are terms and weights; weights are rounded as our own index has them. */
export function sparseDocuments(texts: EncodedTexts): SparseRows {
  return sparseRows(texts, documentImpacts, (weight) => Math.round(IMPACT_SCALE * weight) / IMPACT_SCALE);
}

/** The same of queries, as they are. */
export function sparseQueries(vectors: Float32Array, offsets: Uint32Array): SparseRows {
  return sparseRows({ vectors, offsets }, queryImpacts, (weight) => weight);
}

/** Some of the texts, in the order asked for. */
export function someSparse({ terms, weights, offsets }: SparseRows, texts: readonly number[]): SparseRows {
  const some: SparseLists = { terms: [], weights: [], offsets: [0] };
  for (const text of texts) {
    for (let i = offsets[text]; i < offsets[text + 1]; i++) {
      some.terms.push(terms[i]);
      some.weights.push(weights[i]);
    }
    some.offsets.push(some.terms.length);
  }
  return typed(some);
}

type SparseLists = Record<keyof SparseRows, number[]>;

function sparseRows(
  { vectors, offsets }: EncodedTexts,
  impactsOf: (rows: Float32Array) => Map<number, number>,
  kept: (weight: number) => number,
): SparseRows {
  const lists: SparseLists = { terms: [], weights: [], offsets: [0] };
  for (let text = 0; text + 1 < offsets.length; text++) {
    // Rows of no text at all have no width to be taken apart by.
    const own = vectors.length === 0 ? vectors : rowsOf({ vectors, offsets }, text);
    for (const [term, weight] of impactsOf(own)) {
      if (kept(weight) <= 0) continue;
      lists.terms.push(term);
      lists.weights.push(kept(weight));
    }
    lists.offsets.push(lists.terms.length);
  }
  return typed(lists);
}

function typed({ terms, weights, offsets }: SparseLists): SparseRows {
  return {
    terms: Uint32Array.from(terms),
    weights: Float32Array.from(weights),
    offsets: Uint32Array.from(offsets),
  };
}
