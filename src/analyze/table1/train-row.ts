import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { beginRun } from '../../train/begin-run.js';
import { fingerprintRecipe } from '../../train/recipe/fingerprint.js';
import type { Recipe, StageRecipe } from '../../train/recipe/recipe.js';
import type { RunDirectory } from '../../train/run-directory.js';
import { type SuperviseOptions, supervise } from '../../train/supervisor.js';

export interface TrainRowOptions {
  data: string;
  split: string;
  /** Folder that holds the runs of all rows. */
  out: string;
  supervise: Omit<SuperviseOptions, 'path'>;
}

/**
 * Trains a recipe to its end and gives its run; one that is finished already is taken as it is. Recipes that begin
 * with the same stage share a run of that stage, so that they start from the same model, and it is trained once.
 */
export async function trainRow(recipe: Recipe, options: TrainRowOptions): Promise<RunDirectory> {
  const [first, ...rest] = recipe.stages;
  if (rest.length === 0) return trainRun(recipe, `${options.out}/${recipe.name}`, options);
  const warmup = asRecipe(recipe, `warmup-${first.name}`, [first]);
  const started = await trainRun(
    warmup,
    `${options.out}/warmup-${fingerprintRecipe(warmup).slice(0, 8)}`,
    options,
  );
  const last = (await started.steps('checkpoints')).at(-1)!;
  const init = started.stepPath('checkpoints', last);
  const continued = asRecipe({ ...recipe, model: { ...recipe.model, init } }, recipe.name, rest);
  return trainRun(continued, `${options.out}/${recipe.name}`, options);
}

/** Multiplies the steps of all stages, and the intervals that go with them. */
export function scaleSteps(recipe: Recipe, factor: number): Recipe {
  const scaled = (steps: number): number => Math.max(1, Math.round(steps * factor));
  return {
    ...recipe,
    stages: recipe.stages.map((stage) => ({ ...stage, steps: scaled(stage.steps) })),
    checkpoint: { ...recipe.checkpoint, every: scaled(recipe.checkpoint.every) },
    optimizer: { ...recipe.optimizer, warmupSteps: Math.round(recipe.optimizer.warmupSteps * factor) },
  };
}

async function trainRun(recipe: Recipe, path: string, options: TrainRowOptions): Promise<RunDirectory> {
  const { data, split } = options;
  const run = await beginRun(path, { data, split, recipe }, { quiet: true });
  const end = recipe.stages.reduce((sum, { steps }) => sum + steps, 0);
  const isDone = (): Promise<boolean> => exists(run.stepPath('evaluations', end));
  if (!(await isDone())) await supervise({ ...options.supervise, path });
  if (!(await isDone())) {
    throw new NearmissError(`${path}: stopped before its last step`, {
      hint: 'the same command goes on with it',
    });
  }
  return run;
}

function asRecipe(recipe: Recipe, name: string, stages: StageRecipe[]): Recipe {
  return { ...recipe, name, description: '', stages };
}
