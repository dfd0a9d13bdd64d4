import { exists } from '../../base/files.js';
import { CandidateTable, type FixedRankings, mine } from '../../negatives/index.js';
import type { RunEvent } from '../../run/events.js';
import { fixedTableName } from '../../run/fixed-tables.js';
import { type OutcomeOptions, outcomeOf } from '../../run/mining-outcome.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { withRules } from './mining-rules.js';

/**
 * Candidates that do not change while a run lasts: BM25's, those of a file. Mined once and kept in the run.
 *
 * @param onMined told what mining did, where it was done now
 */
export async function fixedCandidates(
  run: RunDirectory,
  data: TrainingData,
  { source, options, index, what, lists, mayBeEmpty }: FixedRankings & OutcomeOptions,
  onMined: (event: Omit<Extract<RunEvent, { type: 'mined' }>, 'step'>) => Promise<void>,
): Promise<CandidateTable> {
  const name = fixedTableName({ source, ...options });
  const folder = run.file('negatives', name);
  if (await exists(folder)) return CandidateTable.load(folder, data.tables);
  const rankings = await lists();
  const { table, report } = await withRules(options, data, (rules) =>
    mine({
      ...data.tables,
      source,
      index,
      documentCount: data.documents.count,
      depth: options.depth,
      lists: rankings,
      positives: (query) => data.training[query].positives,
      rules,
    }),
  );
  const mining = outcomeOf(what, table, report, { mayBeEmpty });
  await table.save(folder);
  await onMined({ type: 'mined', source, table: name, mining });
  return table;
}
