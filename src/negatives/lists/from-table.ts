import type { CandidateTable } from '../candidates/candidate-table.js';
import type { RankedList } from '../rules/rule.js';

/** The rows of a candidate table as rankings with gaps, where rules have already removed something. */
export function* listsFromTable(table: CandidateTable): Generator<RankedList> {
  for (let query = 0; query < table.queryCount; query++) {
    if (table.counts[query] > 0) yield { query, ...table.row(query) };
  }
}
