import { NearmissError } from '../base/errors.js';
import { count } from '../base/progress.js';
import type { CandidateTable, MiningReport } from '../negatives/index.js';

/** What mining left for the training queries. */
export interface MiningOutcome extends Pick<MiningReport, 'ranked' | 'kept' | 'removed'> {
  /** All training queries, and those of them that have no candidate. */
  trainingQueries: number;
  withoutCandidates: number;
}

export interface OutcomeOptions {
  /** There is more to learn from than these candidates. */
  mayBeEmpty?: boolean;
}

/** Where a rule, or a file that knows other queries, leaves no query anything to learn from, there is no table. */
export function outcomeOf(
  what: string,
  table: CandidateTable,
  report: MiningReport,
  { mayBeEmpty }: OutcomeOptions = {},
): MiningOutcome {
  const { ranked, kept, removed } = report;
  const withoutCandidates = table.counts.reduce((sum, candidates) => sum + (candidates === 0 ? 1 : 0), 0);
  const outcome = { ranked, kept, removed, trainingQueries: table.queryCount, withoutCandidates };
  if (withoutCandidates < table.queryCount || mayBeEmpty) return outcome;
  throw new NearmissError(
    `${what}: none of the ${count(table.queryCount)} training queries has a candidate: ${removedMost(outcome)}`,
    {
      hint:
        ranked === 0
          ? 'the source found no document for any of them: choose another one'
          : 'ease that rule in the recipe, or raise depth; `nearmiss mine` shows what each rule removes',
    },
  );
}

/** Says how many queries a source has nothing for, where there are such queries. */
export function shortageWarning(what: string, outcome: MiningOutcome): string | undefined {
  const { trainingQueries, withoutCandidates } = outcome;
  if (withoutCandidates === 0) return undefined;
  const queries = `${count(withoutCandidates)} of ${count(trainingQueries)} training queries`;
  return `${what}: ${queries} have no candidate and learn nothing from this source; ${removedMost(outcome)}`;
}

function removedMost({ ranked, removed }: MiningOutcome): string {
  if (ranked === 0) return 'no document was ranked';
  const [rule, most] = Object.entries(removed).reduce((best, other) => (other[1] > best[1] ? other : best));
  if (most === 0) return 'nothing was ranked for them';
  return `of ${count(ranked)} documents ranked, the rule ${rule} removed most: ${count(most)}`;
}
