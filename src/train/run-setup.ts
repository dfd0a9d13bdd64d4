import { stringify } from 'yaml';
import { NearmissError } from '../base/errors.js';
import { writeDirectoryAtomic, writeFileAtomic } from '../base/files.js';
import { checkContents } from '../base/folder-contents.js';
import { CREATED_BY } from '../base/version.js';
import { requireWritable } from '../base/writable.js';
import { withWriteLock } from '../base/write-lock.js';
import { type Dataset, openDataset } from '../data/index.js';
import { kindOf } from './encoder-kinds.js';
import { resumePoint } from './resume-point.js';
import { type RunDescription, readRunDescription } from './run-description.js';
import { BEGUN_FOLDER, READ_ONLY_RUN, RunDirectory, START_FOLDER } from './run-directory.js';
import type { TrainedModel } from './trained-model.js';
import { openTrainingData, type TrainingData } from './training-data.js';

/**
 * Makes a run's folder, with its recipe and the model it starts from. `run.json` appears last.
 *
 * @param options.recipeText the recipe as `recipe.yaml` is to show it, e.g. with the origin of each value
 */
export async function createRun(
  path: string,
  description: Omit<RunDescription, 'format' | 'createdBy'>,
  options: { quiet?: boolean; recipeText?: string } = {},
): Promise<RunDirectory> {
  const run = new RunDirectory(path);
  const { recipe, data, split } = description;
  await checkContents(path, BEGUN_FOLDER);
  await requireWritable(path, 'choose a folder you may write to with --out');
  const dataset = await openDataset(data);
  await requireSplits(dataset, [split, recipe.evaluation.split]);
  for (const judged of [split, recipe.evaluation.split]) await requirePositives(dataset, judged);
  // The model may take long, or fail: until it is there, nothing is made that would be left behind.
  const model = await kindOf(recipe).start(recipe, dataset, options);
  await run.create();
  await writeDirectoryAtomic(run.file(START_FOLDER), (folder) => model.fill(folder, { onnx: false }), {
    replaces: 'anything',
  });
  await writeFileAtomic(run.file('recipe.yaml'), options.recipeText ?? stringify(recipe));
  const content: RunDescription = { format: 1, ...description, createdBy: CREATED_BY };
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

/** @param options.resume takes the model from where a Trainer goes on, which may be between two checkpoints */
export async function openRun(
  path: string,
  options: { quiet?: boolean; resume?: boolean } = {},
): Promise<OpenRun> {
  const run = new RunDirectory(path);
  const description = await readRunDescription(run);
  const { recipe } = description;
  const kind = kindOf(recipe);
  const model = await kind.load(await modelToOpen(run, options.resume));
  const dataset = await openDataset(description.data);
  // Both processes want the same token caches at the same moment: the second finds what the first has built.
  const data = await withWriteLock(run.file('cache', 'tokens.lock'), READ_ONLY_RUN, () =>
    openTrainingData({
      dataset,
      split: description.split,
      reader: model.reader,
      lengths: kind.textLengths(recipe.model),
      passages: recipe.model.passages,
      directory: run.file('cache'),
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

/** Asked before anything is written: a run that can never learn is not begun. */
async function requirePositives(dataset: Dataset, split: string): Promise<void> {
  for (const grades of (await dataset.qrels(split)).values()) {
    for (const grade of grades.values()) if (grade > 0) return;
  }
  throw new NearmissError(`${dataset.name}: no query of split "${split}" has a relevant document`, {
    hint: 'learning and measuring need queries with at least one judgment above 0; `nearmiss data stats` counts them',
  });
}

async function requireSplits(dataset: Dataset, wanted: readonly string[]): Promise<void> {
  const splits = await dataset.splits();
  for (const split of wanted) {
    if (splits.includes(split)) continue;
    if (splits.length === 0) {
      throw new NearmissError(`${dataset.name}: training needs queries and judgments, got documents alone`, {
        hint: 'add them with nearmiss data import … --queries FILE --qrels train=FILE; docs/your-data.md says what to do without any',
      });
    }
    throw new NearmissError(`${dataset.name}: no split "${split}", only ${splits.join(', ')}`, {
      hint: 'make one with `nearmiss data split`, or name another: --split for training, --set evaluation.split=… for measuring',
    });
  }
}
