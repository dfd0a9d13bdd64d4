import type { RunDirectory } from '../run-directory.js';
import { dropMoments, isDone } from './finished-checkpoint.js';
import { shareModels } from './share-models.js';

/** Leaves of a run that is done what somebody may need: no moments, and each model once. Nothing of one that may go on. */
export async function slimRun(run: RunDirectory): Promise<boolean> {
  if (!(await isDone(run))) return false;
  for (const step of await run.steps('checkpoints')) await dropMoments(run.stepPath('checkpoints', step));
  await shareModels(run);
  return true;
}
