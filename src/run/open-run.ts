import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { withWriteLock } from '../base/lock/write-lock.js';
import { type Dataset, JUDGED_SPLIT, openDataset } from '../data/index.js';
import { loadTextReader } from '../model/folder/text-reader.js';
import type { TextReader } from '../model/index.js';
import { modelKinds } from '../model/kinds.js';
import type { ModelRecipe } from '../recipe/recipe.js';
import { textLengths } from '../recipe/text-lengths.js';
import { checkSameData, fingerprintData } from './data-fingerprint.js';
import { withHeldOut } from './held-out.js';
import { judgedSince, readRunJudged } from './judged.js';
import { type RunDescription, readRunDescription } from './run-description.js';
import { READ_ONLY_RUN, RunDirectory, START_FOLDER } from './run-directory.js';
import { openTrainingData, type TrainingData } from './training-data.js';

/** A run and its collection as its model reads it. */
export interface OpenRun {
  run: RunDirectory;
  description: RunDescription;
  data: TrainingData;
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
  const data = await withWriteLock(run.file('cache', 'tokens.lock'), READ_ONLY_RUN, () =>
    openTrainingData({
      dataset,
      split: description.split,
      reader,
      lengths: lengthsOf(recipe.model),
      passages: recipe.model.passages,
      directory: run.file('cache'),
      fingerprints: { documents: found.documents.sha256, queries: found.queries.sha256 },
      marksTables: begun !== undefined,
      quiet: options.quiet,
    }),
  );
  return { run, description, data };
}

/** The folder of the newest checkpoint, or of the model that the run starts from. */
export async function newestModel(run: RunDirectory): Promise<string> {
  const newest = (await run.steps('checkpoints')).at(-1);
  return newest === undefined ? run.file(START_FOLDER) : run.stepPath('checkpoints', newest);
}

/** Tokens kept of each text. A pair is cut as a whole, the longer text first, so either may need all the room. */
function lengthsOf(model: ModelRecipe): { query: number; document: number } {
  const lengths = textLengths(model);
  if (!modelKinds.get(model.kind).readsPairs) return lengths;
  const both = lengths.query + lengths.document;
  return { query: both, document: both };
}

/**
 * Opens the collection that a run learns from, with the split that was made for it where it had none to measure on. What
 * people judged is part of it as it was when the run began, and only where the run uses it.
 */
export async function openRunData(
  run: RunDirectory,
  { data, heldOut }: Pick<RunDescription, 'data' | 'heldOut'>,
): Promise<Dataset> {
  await requireData(run, data);
  const judgments = (await readRunJudged(run)) ?? false;
  return withHeldOut(await openDataset(data, { judgments }), heldOut);
}

/** The same, to look at one of its splits: what people judged is what they have judged by now, without what was learned from. */
export async function openRunSplit(
  run: RunDirectory,
  { data, heldOut }: Pick<RunDescription, 'data' | 'heldOut'>,
  split: string,
): Promise<Dataset> {
  if (split !== JUDGED_SPLIT) return openRunData(run, { data, heldOut });
  await requireData(run, data);
  const held = new Set(heldOut?.queries);
  const taken = (await readRunJudged(run))?.queries ?? [];
  const learned = new Set(taken.flatMap(({ id }) => (held.has(id) ? [] : [id])));
  return openDataset(data, { judgments: await judgedSince(data, learned) });
}

async function requireData(run: RunDirectory, data: string): Promise<void> {
  if (await exists(data)) return;
  throw new NearmissError(`${data}: the collection of the run ${run.path} is not there`, {
    hint: `restore it, write its new path into the field "data" of ${run.file('run.json')}, or name it with --data where the command takes that`,
  });
}
