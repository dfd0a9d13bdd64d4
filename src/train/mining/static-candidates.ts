import { exists } from '../../base/files.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import { buildBm25Index, openBm25Index } from '../../index/bm25/index.js';
import { CandidateTable, mine, type RankedList } from '../../negatives/index.js';
import { listsFromBm25, type QueryText } from '../../negatives/lists/from-bm25.js';
import type { NegativesRecipe } from '../../recipe/recipe.js';
import type { RunEvent } from '../../run/events.js';
import { fixedTableName } from '../../run/fixed-tables.js';
import { outcomeOf } from '../../run/mining-outcome.js';
import { READ_ONLY_RUN, type RunDirectory } from '../../run/run-directory.js';
import { placesOf, type TrainingData } from '../../run/training-data.js';
import { withRules } from './mining-rules.js';
import { staticLists } from './static-lists.js';

/** A source whose candidates do not change while a run lasts. */
export interface FixedRecipe extends NegativesRecipe {
  source: 'bm25' | 'static';
}

/**
 * Candidates that do not change while a run lasts: BM25's, or those of a file. Mined once and kept in the run.
 *
 * @param onMined told what mining did, where it was done now
 */
export async function staticCandidates(
  run: RunDirectory,
  data: TrainingData,
  recipe: FixedRecipe,
  onMined: (event: Omit<Extract<RunEvent, { type: 'mined' }>, 'step'>) => Promise<void>,
): Promise<CandidateTable> {
  const name = fixedTableName(recipe);
  const folder = run.file('negatives', name);
  if (await exists(folder)) return CandidateTable.load(folder, data.tables);
  const { source, depth, file } = recipe;
  const lists = source === 'bm25' ? bm25Lists(run, data, depth) : await staticLists(run, data, recipe);
  const { table, report } = await withRules(recipe, data, (rules) =>
    mine({
      ...data.tables,
      source,
      index: source === 'bm25' ? "the run's BM25 index" : file,
      documentCount: data.documents.count,
      depth,
      lists,
      positives: (query) => data.training[query].positives,
      rules,
    }),
  );
  const what = source === 'bm25' ? 'bm25 negatives' : `static negatives of ${file}`;
  const mining = outcomeOf(what, table, report);
  await table.save(folder);
  await onMined({ type: 'mined', source, table: name, mining });
  return table;
}

/** Builds the run's BM25 index where there is none, and gives its folder. */
export async function bm25Folder(run: RunDirectory, data: TrainingData): Promise<string> {
  const folder = run.file('cache', 'bm25');
  return withWriteLock(run.file('cache', 'bm25.lock'), READ_ONLY_RUN, async () => {
    if (!(await exists(folder))) await buildBm25Index(folder, data.dataset.documents());
    return folder;
  });
}

async function* bm25Lists(run: RunDirectory, data: TrainingData, depth: number): AsyncGenerator<RankedList> {
  const index = await openBm25Index(await bm25Folder(run, data));
  yield* listsFromBm25(index, await queryTextsOf(data), { depth });
}

async function queryTextsOf(data: TrainingData): Promise<QueryText[]> {
  const placeOf = placesOf(data);
  const queries: QueryText[] = [];
  for await (const { id, text } of data.dataset.queries()) {
    const query = placeOf.get(data.queries.cache.indexOf(id));
    if (query !== undefined) queries.push({ query, text });
  }
  return queries;
}
