import { cp } from 'node:fs/promises';
import { NearmissError } from '../../base/errors.js';
import type { OptionsOf } from '../../base/registry.js';
import { loadRecipe } from '../../recipe/load.js';
import type { trainKind } from '../../recipe/makers/train-kind.js';
import type { Recipe } from '../../recipe/recipe.js';
import { locateMade } from '../../run/made.js';
import { RunDirectory } from '../../run/run-directory.js';
import { beginRun } from '../process/begin-run.js';
import { supervise } from '../process/supervisor.js';
import type { MakeContext } from './make-context.js';

type TrainOptions = OptionsOf<(typeof trainKind)['options']>;

/** How often it is asked whether to stop. */
const LOOK_MS = 500;

/**
 * Opens the maker `train`: a run inside the run, which goes on where it was after a kill. What is left of it is its best
 * model.
 */
export async function makeTrained(options: TrainOptions, context: MakeContext): Promise<void> {
  const { run: outer, description, session, folder, scratch, stage, events } = context;
  const { progress, shouldStop, signal } = context;
  const { data, split } = description;
  const set = [...options.set, `seed=${context.recipe.seed}`];
  if (options.candidates !== undefined) {
    const { recipe } = await loadRecipe(options.recipe, { set });
    set.push(...candidateSettings(recipe, await locateMade(outer, options.candidates), options));
  }
  const { recipe } = await loadRecipe(options.recipe, { set });
  const run = await beginRun(scratch, { data, split, recipe }, { quiet: true });
  const failed = new AbortController();
  const onFailure = (error: unknown): void => failed.abort(error);
  const looking = setInterval(() => void shouldStop().catch(onFailure), LOOK_MS);
  let told = Promise.resolve();
  const tellNext = (telling: () => Promise<void>): void => {
    told = told.then(telling).catch(onFailure);
  };
  try {
    await supervise({
      path: run.path,
      threads: { trainer: session.threads, inferencer: session.threads },
      stopSignal: AbortSignal.any([signal, failed.signal]),
      onEvent(_, event) {
        if (event.type === 'step') tellNext(() => progress(event.step + 1, event.totalSteps));
        if (event.type === 'log') tellNext(() => events.write(event));
      },
      onRestart: (role, reason) =>
        process.emitWarning(`stage ${stage.name}: its ${role} ended by ${reason} and is started again`),
    });
  } finally {
    clearInterval(looking);
  }
  await told;
  failed.signal.throwIfAborted();
  signal.throwIfAborted();
  const best = new RunDirectory(run.path).file('best');
  await cp(best, folder, { recursive: true }).catch((error) => {
    throw new NearmissError(
      `stage ${stage.name}: the model that it trained cannot be taken: ${error.message}`,
    );
  });
}

/** Settings that make stages learn from candidates of a file instead of their own sources. */
function candidateSettings(
  { stages }: Recipe,
  file: string,
  { depth, count }: Pick<TrainOptions, 'depth' | 'count'>,
): string[] {
  const sources = JSON.stringify([{ source: 'static', file, depth, count }]);
  return stages.filter(({ make }) => !make).map(({ name }) => `stages.${name}.negatives=${sources}`);
}
