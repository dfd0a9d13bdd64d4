import {
  CandidateTable,
  mergeTables,
  mine,
  type RankedList,
  rankedOptionsOf,
  replacedShare,
  stalestQueries,
} from '../../negatives/index.js';
import type { NegativesRecipe } from '../../recipe/recipe.js';
import type { RefreshEvent } from '../../run/events.js';
import { outcomeOf } from '../../run/mining-outcome.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import { withRules } from '../mining/mining-rules.js';
import type { CheckpointSearch, CheckpointSearchOptions } from './checkpoint-search.js';

/** Mines the training queries whose turn it is with a checkpoint and publishes the candidates of all. */
export async function publishNegatives(
  checkpoint: CheckpointSearch,
  recipe: NegativesRecipe,
  { run, data, recipe: { refresh } }: CheckpointSearchOptions,
): Promise<RefreshEvent> {
  const { step, seconds } = checkpoint;
  const options = rankedOptionsOf(recipe);
  const { depth } = options;
  const earlier = (await run.steps('negatives')).filter((other) => other < step);
  const previous = await loadTable(run, earlier.at(-1), depth, data);
  const turn = previous ? stalestQueries(previous, refresh.share) : Int32Array.from(data.training.keys());
  const { table, report } = await withRules(options, data, (rules) =>
    mine({
      ...data.tables,
      source: recipe.source,
      checkpoint: step,
      index: `${refresh.index.type} of step ${step}`,
      documentCount: data.documents.count,
      depth,
      lists: trainingLists(checkpoint, data, { members: turn, depth }),
      positives: (query) => data.training[query].positives,
      rules,
    }),
  );
  const published = previous ? mergeTables(previous, table, turn) : table;
  const mining = outcomeOf(`${recipe.source} negatives of step ${step}`, published, report);
  await published.save(run.stepPath('negatives', step), { overwrite: true });
  return {
    type: 'refresh',
    step,
    encodeSeconds: seconds.encode,
    indexSeconds: seconds.index,
    searchSeconds: seconds.search,
    documents: data.documents.count,
    queries: turn.length,
    ...(previous && { replacedShare: replacedShare(previous, published) }),
    mining,
  };
}

/** What a checkpoint finds for training queries, by their places among them. */
export async function* trainingLists(
  checkpoint: CheckpointSearch,
  { training }: Pick<TrainingData, 'training'>,
  { members, depth }: { members: Int32Array; depth: number },
): AsyncGenerator<RankedList> {
  const queries = Int32Array.from(members, (member) => training[member].query);
  for await (const { place, ids, scores } of checkpoint.search(queries, depth)) {
    yield { query: members[place], ids, scores };
  }
}

async function loadTable(
  run: RunDirectory,
  step: number | undefined,
  depth: number,
  { tables }: TrainingData,
): Promise<CandidateTable | undefined> {
  if (step === undefined) return undefined;
  const table = await CandidateTable.load(run.stepPath('negatives', step), tables);
  return table.depth === depth ? table : undefined;
}
