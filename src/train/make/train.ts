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
export async function makeTrained(options: TrainOptions, context: MakeContext): Promise<boolean> {
  const { run: outer, description, session, folder, scratch, progress, shouldStop, stage, events } = context;
  const { data, split } = description;
  const set = [...options.set, `seed=${context.recipe.seed}`];
  if (options.candidates !== undefined) {
    const { recipe } = await loadRecipe(options.recipe, { set });
    set.push(...candidateSettings(recipe, await locateMade(outer, options.candidates), options));
  }
  const plan = { data, split, recipe: (await loadRecipe(options.recipe, { set })).recipe };
  const run = await beginRun(scratch, plan, { quiet: true });
  const stop = new AbortController();
  const looking = setInterval(async () => {
    if (await shouldStop().catch(() => true)) stop.abort();
  }, LOOK_MS);
  let last = Promise.resolve();
  try {
    await supervise({
      path: run.path,
      threads: { trainer: session.threads, inferencer: session.threads },
      stopSignal: stop.signal,
      onEvent(_, event) {
        if (event.type === 'step') last = last.then(() => progress(event.step + 1, event.totalSteps));
        if (event.type === 'log') last = last.then(() => events.write(event));
      },
      onRestart: (role, reason) =>
        process.emitWarning(`stage ${stage.name}: its ${role} ended by ${reason} and is started again`),
    });
  } finally {
    clearInterval(looking);
  }
  await last;
  if (stop.signal.aborted) return false;
  const best = new RunDirectory(run.path).file('best');
  await cp(best, folder, { recursive: true }).catch((error) => {
    throw new NearmissError(
      `stage ${stage.name}: the model that it trained cannot be taken: ${error.message}`,
    );
  });
  return true;
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
