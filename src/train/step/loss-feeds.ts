import type { DenseTensor } from '../../engine/index.js';
import type { BatchNegatives } from '../../run/plan.js';
import { documentCount, ownNegatives, queryCount, type RetrievalBatch } from '../task/batch.js';

/** Which documents answer each query, as [queries, documents]. */
export function positiveMask(batch: RetrievalBatch): DenseTensor {
  return matrix(batch, (row, query) => {
    row[batch.positives[query]] = 1;
  });
}

/** Which documents are each query's negatives, as [queries, documents]; the hardest are chosen from all of the batch. */
export function negativeMask(batch: RetrievalBatch, negatives: BatchNegatives): DenseTensor {
  return matrix(batch, (row, query) => {
    if (negatives === 'own') for (const document of ownNegatives(batch, query)) row[document] = 1;
    else if (negatives === 'positives') for (const document of batch.positives) row[document] = 1;
    else row.fill(1);
    for (const document of batch.known?.[query] ?? []) row[document] = 0;
    for (const document of batch.masked?.[query] ?? []) row[document] = 0;
    row[batch.positives[query]] = 0;
  });
}

/** How relevant each document is to each query, as [queries, documents]. */
export function gainMatrix(batch: RetrievalBatch): DenseTensor {
  return matrix(batch, (row, query) => {
    for (const [document, grade] of gradesOf(batch, query)) row[document] = grade;
  });
}

/** The dimension of {@link listFeeds} along a query's own documents. */
export const LIST = 'list';

/**
 * Each query's relevant documents and own negatives, as columns of the matrix of scores, with gains and presence. The best
 * come first, so that places are ideal ranks.
 */
export function listFeeds(batch: RetrievalBatch): {
  columns: DenseTensor;
  gains: DenseTensor;
  present: DenseTensor;
  ideal: DenseTensor;
} {
  const lists = batch.positives.map((_, query) => {
    const grades = gradesOf(batch, query);
    const relevant = [...grades.keys()].sort((a, b) => grades.get(b)! - grades.get(a)!);
    return { documents: [...relevant, ...ownNegatives(batch, query)], grades };
  });
  const longest = Math.max(...lists.map(({ documents }) => documents.length));
  const shape = [lists.length, longest];
  const columns = new Int32Array(lists.length * longest);
  const gains = new Float32Array(columns.length);
  const present = new Float32Array(columns.length);
  const ideal = Float32Array.from(columns, (_, i) => (i % longest) + 1);
  lists.forEach(({ documents, grades }, query) => {
    documents.forEach((document, place) => {
      columns[query * longest + place] = document;
      gains[query * longest + place] = grades.get(document) ?? 0;
      present[query * longest + place] = 1;
    });
  });
  return {
    columns: { shape, data: columns },
    gains: { shape, data: gains },
    present: { shape, data: present },
    ideal: { shape, data: ideal },
  };
}

/** The documents of the batch that are relevant to a query, its positive first, with their grades. */
function gradesOf(batch: RetrievalBatch, query: number): Map<number, number> {
  const known = batch.known?.[query] ?? [];
  const grades = new Map([[batch.positives[query], 1]]);
  known.forEach((document, i) => {
    grades.set(document, batch.grades?.[query][i] ?? 1);
  });
  return grades;
}

function matrix(batch: RetrievalBatch, fill: (row: Float32Array, query: number) => void): DenseTensor {
  const [rows, columns] = [queryCount(batch), documentCount(batch)];
  const data = new Float32Array(rows * columns);
  for (let query = 0; query < rows; query++)
    fill(data.subarray(query * columns, (query + 1) * columns), query);
  return { shape: [rows, columns], data };
}
