import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DamagedFileError } from '../../base/checksums.js';
import { NearmissError } from '../../base/errors.js';
import { STATE_FILE, verifyFolder } from '../../run/checked-folder.js';
import { modelFolder } from '../../run/model-folder.js';
import { type RunDirectory, waitFor } from '../../run/run-directory.js';

/** What only a Trainer reads. */
const MOMENTS = /^(optimizer|task)-.*\.bin$/;

/** How long a Trainer that has just been started may take to see for itself that a checkpoint is damaged. */
const PATIENCE_MS = 60_000;

/** A model that the Inferencer was to work with is not what the Trainer wrote. */
export class DamagedCheckpointError extends NearmissError {}

/** Refuses a model of the run that is not what was written: everything made with it would differ in silence. */
export async function verifyModel(run: RunDirectory, step: number): Promise<void> {
  const folder = await modelFolder(run, step);
  const isCheckpoint = folder === run.stepPath('checkpoints', step);
  const remedy = isCheckpoint
    ? `repeat the same command (nearmiss train --out ${run.path}): training goes on from the checkpoint before`
    : `restore it from a copy, or train ${run.path} anew`;
  const only = (name: string): boolean => !MOMENTS.test(name);
  await verifyFolder(folder, { what: `the model of step ${step}`, remedy, only }).catch((error) => {
    if (!isCheckpoint || !(error instanceof DamagedFileError)) throw error;
    throw new DamagedCheckpointError(error.message, { hint: error.hint, cause: error });
  });
}

/** Waits until the Trainer has moved a damaged checkpoint out of the way; where it does not, that is an error. */
export async function awaitReplacement(
  run: RunDirectory,
  { step, damage, signal }: { step: number; damage: DamagedCheckpointError; signal?: AbortSignal },
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const folder = run.stepPath('checkpoints', step);
  const found = await identity(folder);
  const deadline = performance.now() + patienceMs;
  const replaced = await waitFor(async () => ((await identity(folder)) === found ? undefined : true), {
    stop: async () => signal?.aborted === true || performance.now() > deadline,
  });
  if (!replaced && !signal?.aborted) throw damage;
}

async function identity(folder: string): Promise<string | undefined> {
  const info = await stat(join(folder, STATE_FILE)).catch(() => undefined);
  return info && `${info.ino} ${info.mtimeMs}`;
}
