import { NearmissError } from '../../base/errors.js';
import { CandidateTable } from './candidate-table.js';

/**
 * The queries that a refresh mines anew: the given share of them, those whose candidates are oldest first. So every
 * query is mined once in ⌈1 / share⌉ refreshes, however many checkpoints are passed over between them.
 */
export function stalestQueries({ checkpoints }: CandidateTable, share: number): Int32Array {
  if (!(share > 0 && share <= 1)) {
    throw new NearmissError(`share: expected a number above 0 and at most 1, got ${share}`);
  }
  // Less a little: 0.07 × 100 comes out above 7.
  const size = Math.max(1, Math.ceil(share * checkpoints.length - 1e-9));
  return Int32Array.from(checkpoints.keys())
    .sort((a, b) => checkpoints[a] - checkpoints[b] || a - b)
    .slice(0, size)
    .sort();
}

/**
 * The candidates after a refresh of some queries: theirs are the fresh ones, the others keep what they had. Both
 * tables must have the same queries and depth. The result tells how the fresh ones were mined.
 */
export function mergeTables(
  previous: CandidateTable,
  fresh: CandidateTable,
  queries: Int32Array,
): CandidateTable {
  checkAlike(previous, fresh);
  const { depth } = fresh;
  const ids = previous.ids.slice();
  const scores = previous.scores.slice();
  const ranks = previous.ranks.slice();
  const checkpoints = previous.checkpoints.slice();
  for (const query of queries) {
    const start = query * depth;
    ids.set(fresh.ids.subarray(start, start + depth), start);
    scores.set(fresh.scores.subarray(start, start + depth), start);
    ranks.set(fresh.ranks.subarray(start, start + depth), start);
    checkpoints[query] = fresh.checkpoints[query];
  }
  return new CandidateTable({ depth, ids, scores, ranks, checkpoints, provenance: fresh.provenance });
}

/** The share of the candidates of `after` that are new: not among the same query's candidates in `before`. */
export function replacedShare(before: CandidateTable, after: CandidateTable): number {
  checkAlike(before, after);
  let replaced = 0;
  let total = 0;
  for (let query = 0; query < after.queryCount; query++) {
    const known = new Set(before.row(query).ids);
    const { ids } = after.row(query);
    total += ids.length;
    for (const id of ids) if (!known.has(id)) replaced++;
  }
  return total === 0 ? 0 : replaced / total;
}

function checkAlike(a: CandidateTable, b: CandidateTable): void {
  if (a.queryCount === b.queryCount && a.depth === b.depth) return;
  throw new NearmissError(
    `candidates: expected two tables of the same size, got ${a.queryCount} queries of depth ${a.depth} and ${b.queryCount} of depth ${b.depth}`,
    { hint: 'mine all queries anew when the training data or the depth has changed' },
  );
}
