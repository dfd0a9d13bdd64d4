import { stat } from 'node:fs/promises';
import { openDataset } from '../../data/index.js';
import { readRun } from '../../evaluate/index.js';
import { openBm25Index } from '../../index/bm25/index.js';
import { CandidateTable, gatherExamples, listsFromTable, type RankedList } from '../../negatives/index.js';
import { listsFromBm25, type QueryText } from '../../negatives/lists/from-bm25.js';
import { listsFromRun } from '../../negatives/lists/from-run.js';
import { bm25Folder } from '../../run/bm25-folder.js';
import type { RunDescription } from '../../run/run-description.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { placesOf, type TrainingData } from '../../run/training-data.js';
import { isLabelFolder, readLabelFolder } from '../../teacher/index.js';

/** Training files are JSON; every other file is a run. */
const TRAINING_FILE = /\.jsonl?(?:\.gz)?$/;

/** BM25's rankings for the training queries. */
export async function* bm25Lists(
  run: RunDirectory,
  data: TrainingData,
  depth: number,
): AsyncGenerator<RankedList> {
  const index = await openBm25Index(await bm25Folder(run, data));
  yield* listsFromBm25(index, await trainingTexts(data), { depth });
}

/** What a file ranks for the training queries: a training file, a TREC run, a folder of candidates or of labels. */
export async function fileLists(
  file: string,
  data: TrainingData,
  { data: path, split }: Pick<RunDescription, 'data' | 'split'>,
): Promise<Iterable<RankedList>> {
  const placeOf = placesOf(data);
  const queries = { indexOf: (id: string): number => placeOf.get(data.queries.cache.indexOf(id)) ?? -1 };
  const ids = { queries, documents: data.documents.cache };
  if (await isLabelFolder(file)) {
    return listsFromRun(await readLabelFolder(file, data.tables.dataFingerprint), ids);
  }
  if ((await stat(file)).isDirectory()) return listsFromTable(await CandidateTable.load(file, data.tables));
  if (!TRAINING_FILE.test(file)) return listsFromRun(await readRun(file), ids);
  const dataset = await openDataset(path, { examples: { [split]: file }, split });
  return (await gatherExamples(dataset.examples!(split), ids)).lists;
}

async function trainingTexts(data: TrainingData): Promise<QueryText[]> {
  const placeOf = placesOf(data);
  const queries: QueryText[] = [];
  for await (const { id, text } of data.dataset.queries()) {
    const query = placeOf.get(data.queries.cache.indexOf(id));
    if (query !== undefined) queries.push({ query, text });
  }
  return queries;
}
