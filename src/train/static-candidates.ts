import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { withWriteLock } from '../base/write-lock.js';
import { openDataset } from '../data/index.js';
import { readRun } from '../evaluate/index.js';
import { buildBm25Index, openBm25Index } from '../index/bm25/index.js';
import { CandidateTable, gatherExamples, mine, type RankedList } from '../negatives/index.js';
import { listsFromBm25, type QueryText } from '../negatives/lists/from-bm25.js';
import { listsFromRun } from '../negatives/lists/from-run.js';
import { withRules } from './mining-rules.js';
import type { NegativesRecipe } from './recipe/recipe.js';
import { readRunDescription } from './run-description.js';
import { READ_ONLY_RUN, type RunDirectory } from './run-directory.js';
import type { TrainingData } from './training-data.js';

/** Candidates that do not change while a run lasts: BM25's, or those of a file. Mined once and kept in the run. */
export async function staticCandidates(
  run: RunDirectory,
  data: TrainingData,
  recipe: NegativesRecipe,
): Promise<CandidateTable> {
  const folder = run.file('negatives', recipe.source);
  if (await exists(folder)) return CandidateTable.load(folder);
  const lists =
    recipe.source === 'bm25' ? bm25Lists(run, data, recipe.depth) : await fileLists(run, data, recipe);
  const { table } = await withRules(recipe, data, (rules) =>
    mine({
      source: recipe.source === 'bm25' ? 'bm25' : 'static',
      queryCount: data.training.length,
      documentCount: data.documents.count,
      depth: recipe.depth,
      lists,
      positives: (query) => data.training[query].positives,
      rules,
    }),
  );
  await table.save(folder);
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

/** Training files are JSON; every other file is a run. */
const TRAINING_FILE = /\.jsonl?(?:\.gz)?$/;

async function fileLists(
  run: RunDirectory,
  data: TrainingData,
  { file }: NegativesRecipe,
): Promise<Iterable<RankedList>> {
  if (file === undefined) {
    throw new NearmissError('negatives: source static needs a file', {
      hint: 'set file: to a TREC run, or to a training file (.jsonl)',
    });
  }
  const placeOf = placesOf(data);
  const queries = { indexOf: (id: string): number => placeOf.get(data.queries.cache.indexOf(id)) ?? -1 };
  const ids = { queries, documents: data.documents.cache };
  if (!TRAINING_FILE.test(file)) return listsFromRun(await readRun(file), ids);
  const { data: path, split } = await readRunDescription(run);
  const dataset = await openDataset(path, { examples: { [split]: file }, split });
  return (await gatherExamples(dataset.examples!(split), ids)).lists;
}

/** Number of a query → its place among the training queries. */
function placesOf({ training }: TrainingData): Map<number, number> {
  return new Map(training.map(({ query }, place) => [query, place]));
}
