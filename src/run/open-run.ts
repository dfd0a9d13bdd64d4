import { withWriteLock } from '../base/lock/write-lock.js';
import { GENERATED_SPLIT } from '../data/made-splits.js';
import { loadTextReader } from '../model/folder/text-reader.js';
import type { TextReader } from '../model/index.js';
import { modelKinds } from '../model/kinds.js';
import type { ModelRecipe, Recipe } from '../recipe/recipe.js';
import { textLengths } from '../recipe/text-lengths.js';
import { learnsFromLabels } from './collection/learns-from-labels.js';
import { openRunData } from './collection/open-run-data.js';
import { StageData } from './collection/stage-data.js';
import { checkSameData, fingerprintData } from './data-fingerprint.js';
import { NotMadeError } from './made.js';
import { type RunDescription, readRunDescription } from './run-description.js';
import { READ_ONLY_RUN, RunDirectory, START_FOLDER } from './run-directory.js';
import { openTrainingData, type TrainingData } from './training-data.js';

/** A run and its collection as its model reads it. */
export interface OpenRun {
  run: RunDirectory;
  description: RunDescription;
  /** As most look at it: with the queries that the run measures on. */
  data: TrainingData;
  /** The same as each stage sees it. */
  stages: StageData;
}

export interface OpenRunOptions {
  /** Where the collection is, where that is not where the run says. */
  data?: string;
  /** How the run's model reads texts, where the caller has the model at hand. */
  reader?: TextReader;
  quiet?: boolean;
}

export async function openRun(path: string, options: OpenRunOptions = {}): Promise<OpenRun> {
  const run = new RunDirectory(path, options);
  const description = await readRunDescription(run);
  const { recipe } = description;
  const reader = options.reader ?? (await loadTextReader(await newestModel(run)));
  const dataset = await openRunData(run, description);
  const found = await fingerprintData(dataset, [description.split, recipe.evaluation.split]);
  const begun = description.dataFingerprint;
  if (begun) checkSameData({ run: path, data: description.data }, begun, found);
  // Both processes want the same token caches at the same moment: the second finds what the first has built.
  const collection = await withWriteLock(run.file('cache', 'tokens.lock'), READ_ONLY_RUN, () =>
    openTrainingData({
      dataset,
      split: description.split,
      reader,
      lengths: lengthsOf(recipe.model),
      passages: recipe.model.passages,
      directory: run.file('cache'),
      fingerprints: { documents: found.documents.sha256, queries: found.queries.sha256 },
      marksTables: begun !== undefined,
      mayLackLabels: !learnsFromLabels(recipe),
      quiet: options.quiet,
    }),
  );
  const stages = new StageData({ run, description, collection });
  return { run, description, stages, data: await measuredData(stages, recipe) };
}

/** The collection, or it with generated queries where these are measured on and are there already. */
async function measuredData(stages: StageData, { evaluation, examples }: Recipe): Promise<TrainingData> {
  if (evaluation.split !== GENERATED_SPLIT) return stages.collection;
  return stages.of(examples).catch((error) => {
    if (error instanceof NotMadeError) return stages.collection;
    throw error;
  });
}

/** The folder of the newest checkpoint, or of the model that the run starts from. */
export async function newestModel(run: RunDirectory): Promise<string> {
  const newest = (await run.steps('checkpoints')).at(-1);
  return newest === undefined ? run.file(START_FOLDER) : run.stepPath('checkpoints', newest);
}

/** Tokens kept of each text. A pair is cut as a whole, the longer text first, so either may need all the room. */
function lengthsOf(model: ModelRecipe): { query: number; document: number } {
  const lengths = textLengths(model);
  if (!modelKinds.get(model.kind).joinsTexts) return lengths;
  const both = lengths.query + lengths.document;
  return { query: both, document: both };
}
