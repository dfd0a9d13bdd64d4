import type { CandidateTable } from './candidates/candidate-table.js';
import { mine } from './mine.js';
import type { RankedList } from './rules/rule.js';

/** Rankings as literals: each query's documents, best first, with falling scores. */
export function rankedLists(rows: Record<number, number[]>): RankedList[] {
  return Object.entries(rows).map(([query, ids]) => ({
    query: Number(query),
    ids: Int32Array.from(ids),
    scores: Float32Array.from(ids, (_, place) => 10 - place),
  }));
}

/** Known positives as literals. */
export function positivesOf(rows: Record<number, number[]>): (query: number) => Int32Array {
  return (query) => Int32Array.from(rows[query] ?? []);
}

/** A table mined from literals, without rules. */
export async function smallTable(
  rows: Record<number, number[]>,
  options: {
    positives?: Record<number, number[]>;
    depth?: number;
    queryCount?: number;
    checkpoint?: number;
  } = {},
): Promise<CandidateTable> {
  const { positives = {}, depth = 10, queryCount = Object.keys(rows).length, checkpoint } = options;
  const { table } = await mine({
    source: checkpoint === undefined ? 'bm25' : 'ann',
    checkpoint,
    queryCount,
    documentCount: 1000,
    depth,
    lists: rankedLists(rows),
    positives: positivesOf(positives),
  });
  return table;
}
