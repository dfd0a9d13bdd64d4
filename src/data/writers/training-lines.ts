import type { TrainingExample } from '../dataset.js';

/** Tevatron's training record with ids (version 2); we add scores where every document has one. */
export function tevatronLine(example: TrainingExample, queryText?: string): string {
  const { queryId, positives, negatives } = example;
  return JSON.stringify({
    query_id: queryId,
    query_text: queryText,
    positive_document_ids: positives.map(({ id }) => id),
    negative_document_ids: negatives.map(({ id }) => id),
    positive_scores: scoresOf(positives),
    negative_scores: scoresOf(negatives),
  });
}

/** FlagEmbedding's training record, which holds the texts; the ids stand beside them. */
export function flagEmbeddingLine(
  { queryId, positives, negatives }: TrainingExample,
  texts: { query: string; textOf: (documentId: string) => string },
): string {
  return JSON.stringify({
    query_id: queryId,
    query: texts.query,
    pos: positives.map(({ id }) => texts.textOf(id)),
    neg: negatives.map(({ id }) => texts.textOf(id)),
    pos_id: positives.map(({ id }) => id),
    neg_id: negatives.map(({ id }) => id),
  });
}

/** All scores, or none: JSON leaves an undefined field out. */
function scoresOf(documents: { score?: number }[]): (number | undefined)[] | undefined {
  const scored = documents.length > 0 && documents.every(({ score }) => score !== undefined);
  return scored ? documents.map(({ score }) => score) : undefined;
}
