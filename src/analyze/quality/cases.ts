import type { Qrels } from '../../data/index.js';
import type { Run } from '../../evaluate/index.js';
import type { DocumentExcerpt } from '../document-excerpt.js';
import type { QualityCase, QualityHit } from './quality.js';

/** Hits of each list that a case shows. */
const SHOWN = 10;

export interface CasesOptions {
  queries: readonly { id: string; text: string }[];
  qrels: Qrels;
  bm25: Run;
  model: Run;
}

/** The documents that the cases show. */
export function documentsOfCases({ queries, qrels, bm25, model }: CasesOptions): Set<string> {
  return new Set(
    queries.flatMap(({ id }) => [
      ...[bm25, model].flatMap((run) => idsOf(run, id).slice(0, SHOWN)),
      ...relevantOf(qrels, id).map(([document]) => document),
    ]),
  );
}

/** Every query with both result lists. */
export function* qualityCases(
  options: CasesOptions,
  excerpts: ReadonlyMap<string, DocumentExcerpt>,
): Generator<QualityCase> {
  const { queries, qrels, bm25, model } = options;
  // Judgments may name documents that the collection does not have.
  const excerptOf = (id: string): DocumentExcerpt => excerpts.get(id) ?? { id, excerpt: '' };
  for (const { id, text } of queries) {
    const ranks = { bm25: ranksOf(bm25, id), model: ranksOf(model, id) };
    const hits = (run: Run, others: ReadonlyMap<string, number>): QualityHit[] =>
      idsOf(run, id)
        .slice(0, SHOWN)
        .map((document, i) => {
          const grade = qrels.get(id)?.get(document);
          const otherRank = others.get(document);
          return {
            ...excerptOf(document),
            rank: i + 1,
            score: Number(run.rankings.get(id)!.scores[i].toPrecision(6)),
            ...(grade !== undefined && { grade }),
            ...(otherRank !== undefined && { otherRank }),
          };
        });
    yield {
      id,
      text,
      relevant: relevantOf(qrels, id).map(([document, grade]) => ({
        ...excerptOf(document),
        grade,
        ranks: { bm25: ranks.bm25.get(document), model: ranks.model.get(document) },
      })),
      lists: { bm25: hits(bm25, ranks.model), model: hits(model, ranks.bm25) },
    };
  }
}

function idsOf(run: Run, query: string): readonly string[] {
  return run.rankings.get(query)?.ids ?? [];
}

function ranksOf(run: Run, query: string): Map<string, number> {
  return new Map(idsOf(run, query).map((id, i) => [id, i + 1]));
}

function relevantOf(qrels: Qrels, query: string): [id: string, grade: number][] {
  return [...(qrels.get(query) ?? [])].filter(([, grade]) => grade > 0).sort((a, b) => b[1] - a[1]);
}
