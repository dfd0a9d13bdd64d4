import { rowsOf } from '../../model/index.js';
import type { ExactCorpus } from '../../run/exact-corpus.js';
import { bestRow } from '../best-row.js';
import type { DrawnNegatives } from './draw-negatives.js';
import type { SampledQuery } from './sample.js';

/**
 * Fetches the rows of all positives and drawn negatives, and gives the function that finds the one a document is scored
 * by for a query.
 */
export async function bestRows(
  corpus: ExactCorpus,
  queries: readonly SampledQuery[],
  drawn: readonly DrawnNegatives[],
): Promise<(query: number, document: number) => Float32Array> {
  const positives = queries.map(({ positive }) => positive);
  const negatives = drawn.flatMap(({ documents }) => documents.flatMap((list) => [...list]));
  const documents = [...new Set([...positives, ...negatives])];
  const places = new Map(documents.map((document, place) => [document, place]));
  const encoded = await corpus.vectorsOf(documents);
  return (query, document) => bestRow(queries[query].vector, rowsOf(encoded, places.get(document)!)).row;
}
