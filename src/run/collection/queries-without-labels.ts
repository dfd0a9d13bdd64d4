import type { Qrels } from '../../data/dataset.js';

/**
 * Which of some queries ask for documents that no training query has, by their places: what a model has learned of
 * documents by heart does not help there. Documents that are added later are such documents, too.
 */
export function queriesWithoutLabels(
  queries: readonly string[],
  qrels: Qrels,
  isLabelled: (documentId: string) => boolean,
): number[] {
  return queries.flatMap((query, place) => (relevantOf(qrels.get(query)!).some(isLabelled) ? [] : place));
}

/** The documents that judgments of one query hold for relevant. */
export function relevantOf(grades: ReadonlyMap<string, number>): string[] {
  return [...grades].flatMap(([document, grade]) => (grade > 0 ? document : []));
}

/** The documents that are relevant to some query. */
export function labelledDocuments(qrels: Qrels): Set<string> {
  return new Set([...qrels.values()].flatMap(relevantOf));
}
