import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';
import { writeDirectoryAtomic, writeFileAtomic } from '../base/files.js';
import { readJsonFile, writeSealedJsonFile } from '../base/json-file.js';
import { bytesOf } from '../base/numbers/bytes-of.js';
import type { Optimizer, ParameterStore } from '../engine/index.js';
import { describeFolder, STATE_FILE } from '../run/checked-folder.js';
import type { TrainedModel } from './model/trained-model.js';

const stateSchema = z.object({
  /** Steps taken. */
  step: z.int().min(0),
  /** Index of the stage whose optimizer was saved. */
  stage: z.int().min(0),
  /** None where the stage made the model without learning. */
  optimizer: z.object({ name: z.string(), step: z.int().min(0) }).optional(),
  recipeFingerprint: z.string(),
});

/** What a checkpoint knows besides weights and moments. */
export type CheckpointState = z.infer<typeof stateSchema>;

/** Everything that a run goes on with. */
export interface CheckpointContent {
  model: TrainedModel;
  /** None where the stage made the model without learning. */
  optimizer?: Optimizer;
  /** What the stage's task keeps besides the weights: a queue, a moving average. */
  task: Readonly<Record<string, ParameterStore>>;
  /** A head that guesses hidden words, to be saved as part of the model. */
  mlmHead?: ParameterStore;
  /** Writes what else the task wants to be saved. */
  fill?: (folder: string) => Promise<void>;
}

/**
 * Writes a model folder with the optimizer's moments, the task's state and `state.json`, which has the checksums of all
 * others; all of it or nothing.
 */
export async function saveCheckpoint(
  path: string,
  { model, optimizer, task, mlmHead, fill }: CheckpointContent,
  state: Omit<CheckpointState, 'optimizer'>,
): Promise<void> {
  await writeDirectoryAtomic(path, async (folder) => {
    await model.fill(folder, { onnx: false, ...(mlmHead && { mlmHead }) });
    await fill?.(folder);
    // Before its first step an optimizer is as it is made: there is nothing to keep.
    for (const [name, store] of optimizer && optimizer.step > 0 ? Object.entries(optimizer.state) : []) {
      await writeFileAtomic(join(folder, momentFile(name)), bytesOf(store.buffer));
    }
    for (const [name, store] of Object.entries(task)) {
      await writeFileAtomic(join(folder, taskFile(name)), bytesOf(store.buffer));
    }
    const content: CheckpointState = {
      ...state,
      ...(optimizer && { optimizer: { name: optimizer.name, step: optimizer.step } }),
    };
    await writeSealedJsonFile(join(folder, STATE_FILE), { ...content, files: await describeFolder(folder) });
  });
}

const GO_ON_BEFORE = 'remove its folder to go on from the checkpoint before';

/** Reads `state.json`, and refuses a checkpoint that another recipe made. */
export async function readCheckpointState(
  folder: string,
  recipeFingerprint: string,
): Promise<CheckpointState> {
  const state = await readJsonFile(join(folder, STATE_FILE), stateSchema, {
    hint: `the checkpoint was changed by hand; ${GO_ON_BEFORE}`,
  });
  if (state.recipeFingerprint === recipeFingerprint) return state;
  throw new NearmissError(
    `${folder}: a checkpoint of another recipe (${state.recipeFingerprint.slice(0, 12)}, this run's is ${recipeFingerprint.slice(0, 12)})`,
    { hint: `it was copied here from another run; ${GO_ON_BEFORE}, or start a run with it as model.init` },
  );
}

/** Fills an optimizer from a checkpoint of the same stage. */
export async function restoreOptimizer(
  folder: string,
  optimizer: Optimizer,
  state: CheckpointState,
): Promise<void> {
  if (optimizer.name !== state.optimizer?.name) {
    throw new NearmissError(
      `${folder}: saved with ${state.optimizer?.name ?? 'no optimizer'}, but the recipe says ${optimizer.name}`,
    );
  }
  for (const [name, store] of state.optimizer.step > 0 ? Object.entries(optimizer.state) : []) {
    await restoreStore(join(folder, momentFile(name)), store);
  }
  optimizer.resumeAt(state.optimizer.step);
}

/** Fills a task's state from a checkpoint of the same stage. */
export async function restoreTask(
  folder: string,
  task: Readonly<Record<string, ParameterStore>>,
): Promise<void> {
  for (const [name, store] of Object.entries(task)) await restoreStore(join(folder, taskFile(name)), store);
}

async function restoreStore(path: string, store: ParameterStore): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length !== store.buffer.byteLength) {
    throw new NearmissError(`${path}: expected ${store.buffer.byteLength} bytes, got ${bytes.length}`, {
      hint: 'remove the checkpoint to go on from the one before',
    });
  }
  bytesOf(store.buffer).set(bytes);
}

function momentFile(name: string): string {
  return `optimizer-${name}.bin`;
}

function taskFile(name: string): string {
  return `task-${name}.bin`;
}
