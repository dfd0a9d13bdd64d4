import type { TextPair } from '../text/tokenizer.js';

/** Scores pairs of a query and a document: a cross-encoder. */
export interface PairScoring {
  score(
    pairs: readonly TextPair[],
    onChunk?: (progress: { pairs: number; tokens: number }) => void | Promise<void>,
  ): Promise<Float32Array>;
}

/** A document, or one of its passages, with its queries. */
export interface QueriedDocument {
  id: string;
  text: string;
  queries: readonly string[];
}

/** Documents whose pairs are scored together. */
const DOCUMENTS_AT_ONCE = 256;

/**
 * Keeps the best share of all queries by a cross-encoder's score of query and document (doc2query−−, Gospodinov et al.
 * 2023): a generator makes things up, and what is not about the document misleads.
 *
 * @returns the queries of each document that are left, and the least score among them
 */
export async function filterQueries(
  documents: AsyncIterable<QueriedDocument>,
  scorer: PairScoring,
  { keep, onPairs }: { keep: number; onPairs?: (pairs: number, tokens: number) => void },
): Promise<{ queries: Map<string, string[]>; least: number; scored: number }> {
  const scored: { id: string; queries: readonly string[]; scores: Float32Array }[] = [];
  let batch: QueriedDocument[] = [];
  const score = async (): Promise<void> => {
    const pairs = batch.flatMap(({ text, queries }) => queries.map((query): TextPair => [query, text]));
    const scores = await scorer.score(pairs, ({ pairs: done, tokens }) => onPairs?.(done, tokens));
    let at = 0;
    for (const { id, queries } of batch) {
      scored.push({ id, queries, scores: scores.slice(at, at + queries.length) });
      at += queries.length;
    }
    batch = [];
  };
  for await (const document of documents) {
    batch.push(document);
    if (batch.length === DOCUMENTS_AT_ONCE) await score();
  }
  await score();
  const total = scored.reduce((sum, { scores }) => sum + scores.length, 0);
  const all = new Float32Array(total);
  let at = 0;
  for (const { scores } of scored) {
    all.set(scores, at);
    at += scores.length;
  }
  all.sort();
  const kept = Math.round(keep * total);
  const least = kept === 0 ? Number.POSITIVE_INFINITY : all[total - kept];
  const queries = new Map<string, string[]>();
  for (const { id, queries: own, scores } of scored) {
    const left = own.filter((_, i) => scores[i] >= least);
    queries.set(id, [...(queries.get(id) ?? []), ...left]);
  }
  return { queries, least, scored: total };
}
