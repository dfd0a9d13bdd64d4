import { NearmissError } from '../../base/errors.js';
import { fingerprintRecipe } from '../../recipe/fingerprint.js';
import type { Recipe, StageRecipe } from '../../recipe/recipe.js';
import { planRun } from '../../run/plan.js';
import { readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { beginRun, isBegunAs } from '../../train/process/begin-run.js';
import { type SuperviseOptions, supervise } from '../../train/process/supervisor.js';

export interface TrainRowOptions {
  data: string;
  split: string;
  /** Folder that holds the runs of all rows. */
  out: string;
  supervise: Omit<SuperviseOptions, 'path'>;
}

/** The runs of a row, one after the other: the first starts from the model that all rows start from, the last is its own. */
export type RowRuns = [RunDirectory, ...RunDirectory[]];

/** Trains a recipe to its end; runs of it that are finished already are taken as they are. */
export async function trainRow(recipe: Recipe, options: TrainRowOptions): Promise<RowRuns> {
  const runs: RunDirectory[] = [];
  for (const planned of planRow(recipe, options.out)) runs.push(await trainRun(planned, options));
  return runs as RowRuns;
}

/** The runs of a recipe that was trained to its end before, with these settings; undefined where it was not. */
export async function finishedRow(
  recipe: Recipe,
  options: Pick<TrainRowOptions, 'data' | 'split' | 'out'>,
): Promise<RowRuns | undefined> {
  const planned = planRow(recipe, options.out);
  for (const part of planned) if (!(await isFinished(part, options))) return undefined;
  return planned.map(({ path }) => new RunDirectory(path)) as RowRuns;
}

/** The runs of a recipe that {@link trainRow} has still to train, in their order. */
export async function unfinishedRuns(
  recipe: Recipe,
  options: Pick<TrainRowOptions, 'data' | 'split' | 'out'>,
): Promise<PlannedRun[]> {
  const unfinished: PlannedRun[] = [];
  for (const part of planRow(recipe, options.out)) {
    if (!(await isFinished(part, options))) unfinished.push(part);
  }
  return unfinished;
}

/** Multiplies the steps of all stages that learn, and the intervals that go with them. */
export function scaleSteps(recipe: Recipe, factor: number): Recipe {
  const scaled = (steps: number): number => Math.max(1, Math.round(steps * factor));
  return {
    ...recipe,
    // What a stage makes is made in as many steps as ever.
    stages: recipe.stages.map((stage) => (stage.make ? stage : { ...stage, steps: scaled(stage.steps) })),
    checkpoint: { ...recipe.checkpoint, every: scaled(recipe.checkpoint.every) },
    optimizer: { ...recipe.optimizer, warmupSteps: Math.round(recipe.optimizer.warmupSteps * factor) },
  };
}

/** A run that is to be trained. */
export interface PlannedRun {
  path: string;
  recipe: Recipe;
  /** What the first run of its row starts from: this one's own start may have to be trained first. */
  startsFrom: string;
}

/**
 * Recipes that begin with the same stage share a run of that stage, so that they start from the same model, and it is
 * trained once. What a stage makes is for the run it is part of: recipes that make data are not taken apart.
 */
export function planRow(recipe: Recipe, out: string): PlannedRun[] {
  const path = `${out}/${recipe.name}`;
  const startsFrom = recipe.model.init;
  const [first, ...rest] = recipe.stages;
  // What a stage has made lies in its run: later stages find it there alone.
  if (rest.length === 0 || recipe.stages.some(({ make }) => make)) return [{ path, recipe, startsFrom }];
  const warmup = asRecipe(recipe, `warmup-${first.name}`, [first]);
  const warmupPath = `${out}/warmup-${fingerprintRecipe(warmup).slice(0, 8)}`;
  const init = new RunDirectory(warmupPath).stepPath('checkpoints', first.steps);
  const continued = asRecipe({ ...recipe, model: { ...recipe.model, init } }, recipe.name, rest);
  return [
    { path: warmupPath, recipe: warmup, startsFrom },
    { path, recipe: continued, startsFrom },
  ];
}

async function trainRun({ path, recipe }: PlannedRun, options: TrainRowOptions): Promise<RunDirectory> {
  const { data, split } = options;
  const run = await beginRun(path, { data, split, recipe }, { quiet: true });
  if (!(await isAtEnd(run))) await supervise({ ...options.supervise, path });
  if (!(await isAtEnd(run))) {
    throw new NearmissError(`${path}: stopped before its last step`, {
      hint: 'the same command goes on with it',
    });
  }
  return run;
}

async function isFinished(
  { path, recipe }: PlannedRun,
  { data, split }: Pick<TrainRowOptions, 'data' | 'split'>,
): Promise<boolean> {
  return (await isBegunAs(path, { data, split, recipe })) && isAtEnd(new RunDirectory(path));
}

/** Whether the model after the last step has been measured; few labels may have made the run's recipe shorter than the row's. */
async function isAtEnd(run: RunDirectory): Promise<boolean> {
  const { recipe } = await readRunDescription(run);
  return run.has('evaluations', planRun(recipe).totalSteps);
}

function asRecipe(recipe: Recipe, name: string, stages: StageRecipe[]): Recipe {
  return { ...recipe, name, description: '', stages };
}
