import { removeDirectory } from '../base/files.js';
import type { RunDirectory } from './run-directory.js';

/** Where a Trainer goes on: at the newest checkpoint, or at what it saved after it. */
export async function resumePoint(run: RunDirectory): Promise<{ step: number; folder: string } | undefined> {
  const checkpoint = (await run.steps('checkpoints')).at(-1);
  const between = (await run.steps('resume')).at(-1);
  if (between !== undefined && between > (checkpoint ?? -1)) {
    return { step: between, folder: run.stepPath('resume', between) };
  }
  return checkpoint === undefined
    ? undefined
    : { step: checkpoint, folder: run.stepPath('checkpoints', checkpoint) };
}

/** Removes what was saved before a step between checkpoints: there is something newer to go on from. */
export async function forgetResumePoints(run: RunDirectory, before: number): Promise<void> {
  for (const step of await run.steps('resume')) {
    if (step < before) await removeDirectory(run.stepPath('resume', step));
  }
}
