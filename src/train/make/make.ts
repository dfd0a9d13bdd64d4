import { createHash } from 'node:crypto';
import { exists, removeDirectory, writeDirectoryAtomic } from '../../base/files.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { makers } from '../../recipe/axes.js';
import { canonicalJson } from '../../recipe/fingerprint.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { Choice } from '../../recipe/recipe.js';
import { madePath } from '../../run/made.js';
import type { StageContext } from '../task/task.js';
import { makeClusters } from './cluster.js';
import { makeFiltered } from './filter.js';
import { makeGenerated } from './generate.js';
import { makeLabelled } from './label.js';
import type { MakeContext } from './make-context.js';
import { applyMerge, makeMerge } from './merge.js';
import { makeMined } from './mine.js';
import { makePseudoLabels } from './pseudo-label.js';
import { makeTrained } from './train.js';

/** Fills a folder by the options of its kind; `false` where it stopped before that, because it was asked to. */
export type Make = (options: never, context: MakeContext) => Promise<boolean>;

/** How the makers that come with nearmiss work; those of others say it themselves. */
const MAKE: Record<string, Make> = {
  mine: makeMined,
  label: makeLabelled,
  cluster: makeClusters,
  train: makeTrained,
  'pseudo-label': makePseudoLabels,
  generate: makeGenerated,
  filter: makeFiltered,
  merge: makeMerge,
};

/** Puts what a maker made into the run's model. */
export type Apply = (folder: string, context: StageContext) => Promise<void>;

const APPLY: Record<string, Apply> = { merge: applyMerge };

/**
 * Makes what a stage is to make, unless it is there already: its folder's name stands for everything the result depends
 * on. Then puts it into the model, where it is for that.
 *
 * @returns whether it is there now; not where the run was asked to stop
 */
export async function makeData(choice: Choice, context: StageContext): Promise<boolean> {
  const { run, stage, events, recipe, description } = context;
  const kind = makers.get(choice.name);
  const make = MAKE[kind.name] ?? (kind.make as Make);
  const options = kindOptions(kind, choice);
  const key = contentKey({
    maker: kind.name,
    options,
    data: description.dataFingerprint,
    split: description.split,
    seed: recipe.seed,
    ...(kind.usesModel && { step: stage.start, recipe: description.recipeFingerprint }),
  });
  const path = madePath(run, stage.name, key);
  const apply = kind.changesModel ? (APPLY[kind.name] ?? (kind.apply as Apply)) : undefined;
  if (await exists(path)) {
    await apply?.(path, context);
    return true;
  }
  const scratch = run.file('cache', 'making', `${stage.name}-${key}`);
  const started = performance.now();
  const progress = (done: number, total: number): Promise<void> =>
    events.write({ type: 'make', step: stage.start, stage: stage.name, done, total });
  await progress(0, 0);
  const figures: Record<string, number> = {};
  const tell = (told: Record<string, number>): void => void Object.assign(figures, told);
  const stopped = new Error('stopped');
  try {
    await writeDirectoryAtomic(path, async (folder) => {
      if (!(await make(options as never, { ...context, folder, scratch, progress, tell }))) throw stopped;
    });
  } catch (error) {
    if (error === stopped) return false;
    throw error;
  }
  await removeDirectory(scratch);
  await apply?.(path, context);
  const seconds = secondsSince(started);
  await events.write({
    type: 'made',
    step: stage.end,
    stage: stage.name,
    maker: kind.name,
    seconds,
    ...(Object.keys(figures).length > 0 && { figures }),
  });
  return true;
}

function contentKey(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 12);
}
