import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { exists, removeDirectory, writeDirectoryAtomic } from '../../base/files.js';
import type { Kind, OptionsOf } from '../../base/registry.js';
import { type MakerKind, makers } from '../../recipe/axes.js';
import { canonicalJson } from '../../recipe/fingerprint.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { Choice } from '../../recipe/recipe.js';
import { madePath } from '../../run/made.js';
import type { StageContext } from '../task/task.js';

/** What a maker works with. */
export interface MakeContext extends StageContext {
  /** The folder to fill, which appears under its name when it is complete. */
  folder: string;
  /** Where unfinished work is kept: whoever goes on after a kill finds it again. */
  scratch: string;
  /** Told how far it is. */
  progress(done: number, total: number): Promise<void>;
}

/** A value of the maker axis as the trainer knows it: a stage that makes data which later stages use. */
export interface Maker<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** Whether the weights decide the result, which then is another one at another step. */
  readonly usesModel?: boolean;
  /** Fills the folder; `false` where it stopped before that, because it was asked to. */
  make(options: OptionsOf<Shape>, context: MakeContext): Promise<boolean>;
}

/** Gives a kind's options their types. */
export function makerKind<Shape extends z.ZodRawShape>(kind: Maker<Shape>): MakerKind {
  return kind as unknown as MakerKind;
}

/**
 * Makes what a stage is to make, unless it is there already: its folder's name stands for everything the result depends
 * on.
 *
 * @returns whether it is there now; not where the run was asked to stop
 */
export async function makeData(choice: Choice, context: StageContext): Promise<boolean> {
  const { run, stage, events, recipe, description } = context;
  const kind = makers.get(choice.name) as unknown as Maker;
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
  if (await exists(path)) return true;
  const scratch = run.file('cache', 'making', `${stage.name}-${key}`);
  const started = performance.now();
  const progress = (done: number, total: number): Promise<void> =>
    events.write({ type: 'make', step: stage.start, stage: stage.name, done, total });
  await progress(0, 0);
  const stopped = new Error('stopped');
  try {
    await writeDirectoryAtomic(path, async (folder) => {
      if (!(await kind.make(options, { ...context, folder, scratch, progress }))) throw stopped;
    });
  } catch (error) {
    if (error === stopped) return false;
    throw error;
  }
  await removeDirectory(scratch);
  const seconds = (performance.now() - started) / 1000;
  await events.write({ type: 'made', step: stage.start, stage: stage.name, maker: kind.name, seconds });
  return true;
}

function contentKey(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex').slice(0, 12);
}
