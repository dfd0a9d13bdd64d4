import { stringify } from 'yaml';
import { NearmissError } from '../../base/errors.js';
import { exists, writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import { checkContents } from '../../base/folder-contents.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import { CREATED_BY } from '../../base/version.js';
import { requireWritable } from '../../base/writable.js';
import { type Dataset, openDataset } from '../../data/index.js';
import { checkSameData, fingerprintData } from '../../run/data-fingerprint.js';
import { resumePoint } from '../../run/resume-point.js';
import { type RunDescription, readRunDescription } from '../../run/run-description.js';
import { BEGUN_FOLDER, READ_ONLY_RUN, RunDirectory, START_FOLDER } from '../../run/run-directory.js';
import { openTrainingData, type TrainingData } from '../../run/training-data.js';
import { kindOf } from '../model/encoder-kinds.js';
import type { TrainedModel } from '../model/trained-model.js';
import { requireTrainable } from './run-requirements.js';

/**
 * Makes a run's folder, with its recipe and the model it starts from. `run.json` appears last.
 *
 * @param options.recipeText the recipe as `recipe.yaml` is to show it, e.g. with the origin of each value
 */
export async function createRun(
  path: string,
  description: Omit<RunDescription, 'format' | 'createdBy' | 'dataFingerprint'>,
  options: { quiet?: boolean; recipeText?: string } = {},
): Promise<RunDirectory> {
  const run = new RunDirectory(path);
  const { recipe, data, split } = description;
  await checkContents(path, BEGUN_FOLDER);
  await requireWritable(path, 'choose a folder you may write to with --out');
  const dataset = await openDataset(data);
  await requireTrainable(dataset, recipe, split);
  // The model may take long, or fail: until it is there, nothing is made that would be left behind.
  const model = await kindOf(recipe).start(recipe, dataset, options);
  await run.create();
  await writeDirectoryAtomic(run.file(START_FOLDER), (folder) => model.fill(folder, { onnx: false }), {
    replaces: 'anything',
  });
  await writeFileAtomic(run.file('recipe.yaml'), options.recipeText ?? stringify(recipe));
  const dataFingerprint = await fingerprintData(dataset, [split, recipe.evaluation.split]);
  const content: RunDescription = { format: 1, ...description, dataFingerprint, createdBy: CREATED_BY };
  await writeFileAtomic(run.file('run.json'), `${JSON.stringify(content, null, 2)}\n`);
  return run;
}

/** What both processes need of a run. */
export interface OpenRun {
  run: RunDirectory;
  description: RunDescription;
  data: TrainingData;
  /** From the newest checkpoint, or as the run starts. */
  model: TrainedModel;
}

/**
 * @param options.data where the collection is, where that is not where the run says
 * @param options.resume takes the model from where a Trainer goes on, which may be between two checkpoints
 */
export async function openRun(
  path: string,
  options: { data?: string; quiet?: boolean; resume?: boolean } = {},
): Promise<OpenRun> {
  const run = new RunDirectory(path, options);
  const description = await readRunDescription(run);
  const { recipe } = description;
  const kind = kindOf(recipe);
  const model = await kind.load(await modelToOpen(run, options.resume));
  const dataset = await openRunData(run, description);
  const found = await fingerprintData(dataset, [description.split, recipe.evaluation.split]);
  const begun = description.dataFingerprint;
  if (begun) checkSameData({ run: path, data: description.data }, begun, found);
  // Both processes want the same token caches at the same moment: the second finds what the first has built.
  const data = await withWriteLock(run.file('cache', 'tokens.lock'), READ_ONLY_RUN, () =>
    openTrainingData({
      dataset,
      split: description.split,
      reader: model.reader,
      lengths: kind.textLengths(recipe.model),
      passages: recipe.model.passages,
      directory: run.file('cache'),
      fingerprints: { documents: found.documents.sha256, queries: found.queries.sha256 },
      marksTables: begun !== undefined,
      quiet: options.quiet,
    }),
  );
  return { run, description, data, model };
}

async function modelToOpen(run: RunDirectory, resume = false): Promise<string> {
  const newest = (await run.steps('checkpoints')).at(-1);
  const folder = newest === undefined ? run.file(START_FOLDER) : run.stepPath('checkpoints', newest);
  return resume ? ((await resumePoint(run))?.folder ?? folder) : folder;
}

/** Opens the collection that a run learns from. */
async function openRunData(run: RunDirectory, { data }: RunDescription): Promise<Dataset> {
  if (await exists(data)) return openDataset(data);
  throw new NearmissError(`${data}: the collection of the run ${run.path} is not there`, {
    hint: `restore it, write its new path into the field "data" of ${run.file('run.json')}, or name it with --data where the command takes that`,
  });
}
