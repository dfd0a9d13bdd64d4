import { createHash } from 'node:crypto';
import { NearmissError } from '../../base/errors.js';
import { exists, removeDirectory, writeDirectoryAtomic } from '../../base/files.js';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import { type MakerKind, makers } from '../../recipe/axes.js';
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

/** Fills a folder by the options of its kind; fails where it stops before that, because it was asked to. */
export type Make = (options: never, context: MakeContext) => Promise<void>;

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
  const make = MAKE[kind.name] ?? madeByOthers(kind);
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
  const tellProgress = (done: number, total: number): Promise<void> =>
    events.write({ type: 'make', step: stage.start, stage: stage.name, done, total });
  await tellProgress(0, 0);
  const figures: Record<string, number> = {};
  const tell = (told: Record<string, number>): void => void Object.assign(figures, told);
  const stopping = new AbortController();
  const { signal } = stopping;
  const shouldStop = async (): Promise<boolean> => {
    if (await context.shouldStop()) stopping.abort();
    return signal.aborted;
  };
  const progress = async (done: number, total: number): Promise<void> => {
    await tellProgress(done, total);
    await shouldStop();
  };
  try {
    await writeDirectoryAtomic(path, (folder) =>
      make(options as never, { ...context, folder, scratch, progress, tell, shouldStop, signal }),
    );
  } catch (error) {
    if (signal.aborted) return false;
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

/** Makers of others give `false` where they stopped. */
function madeByOthers(kind: MakerKind): Make {
  const make = kind.make as (options: never, context: MakeContext) => Promise<boolean>;
  return async (options, context) => {
    if (await make(options, context)) return;
    context.signal.throwIfAborted();
    throw new NearmissError(`stage ${context.stage.name}: ${kind.name} ended without a result`, {
      hint: 'a maker gives true once its folder is filled, and false only where it was asked to stop',
    });
  };
}

function contentKey(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 12);
}
