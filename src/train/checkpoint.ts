import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { writeDirectoryAtomic, writeFileAtomic } from '../base/files.js';
import type { Optimizer, ParameterStore } from '../engine/index.js';
import type { TrainedModel } from './model/trained-model.js';

/** What a checkpoint knows besides weights and moments. */
export interface CheckpointState {
  /** Steps taken. */
  step: number;
  /** Index of the stage whose optimizer was saved. */
  stage: number;
  optimizer: { name: string; step: number };
  recipeFingerprint: string;
}

const STATE_FILE = 'state.json';

/** Writes a model folder with the optimizer's moments and `state.json`; all of it or nothing. */
export async function saveCheckpoint(
  path: string,
  model: TrainedModel,
  optimizer: Optimizer,
  state: Omit<CheckpointState, 'optimizer'>,
): Promise<void> {
  await writeDirectoryAtomic(path, async (folder) => {
    await model.fill(folder, { onnx: false });
    for (const [name, store] of Object.entries(optimizer.state)) {
      await writeFileAtomic(join(folder, momentFile(name)), bytesOf(store));
    }
    const content: CheckpointState = { ...state, optimizer: { name: optimizer.name, step: optimizer.step } };
    await writeFileAtomic(join(folder, STATE_FILE), `${JSON.stringify(content, null, 2)}\n`);
  });
}

const GO_ON_BEFORE = 'remove its folder to go on from the checkpoint before';

/** Reads `state.json`, and refuses a checkpoint that another recipe made. */
export async function readCheckpointState(
  folder: string,
  recipeFingerprint: string,
): Promise<CheckpointState> {
  const path = join(folder, STATE_FILE);
  let state: CheckpointState;
  try {
    state = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new NearmissError(`${path}: cannot be read: ${(error as Error).message}`, {
      hint: `the checkpoint was changed by hand; ${GO_ON_BEFORE}`,
    });
  }
  if (state.recipeFingerprint === recipeFingerprint) return state;
  throw new NearmissError(
    `${folder}: a checkpoint of another recipe (${state.recipeFingerprint?.slice(0, 12)}, this run's is ${recipeFingerprint.slice(0, 12)})`,
    { hint: `it was copied here from another run; ${GO_ON_BEFORE}, or start a run with it as model.init` },
  );
}

/** Fills an optimizer from a checkpoint of the same stage. */
export async function restoreOptimizer(
  folder: string,
  optimizer: Optimizer,
  state: CheckpointState,
): Promise<void> {
  if (optimizer.name !== state.optimizer.name) {
    throw new NearmissError(
      `${folder}: saved with ${state.optimizer.name}, but the recipe says ${optimizer.name}`,
    );
  }
  for (const [name, store] of Object.entries(optimizer.state)) {
    const path = join(folder, momentFile(name));
    const bytes = await readFile(path);
    if (bytes.length !== store.buffer.byteLength) {
      throw new NearmissError(`${path}: expected ${store.buffer.byteLength} bytes, got ${bytes.length}`, {
        hint: 'remove the checkpoint to go on from the one before',
      });
    }
    bytesOf(store).set(bytes);
  }
  optimizer.resumeAt(state.optimizer.step);
}

function momentFile(name: string): string {
  return `optimizer-${name}.bin`;
}

function bytesOf({ buffer }: ParameterStore): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
