import { rename } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { DamagedFileError } from '../base/checksums.js';
import { exists, removeDirectory } from '../base/files.js';
import { makeDirectory } from '../base/folders/make-directory.js';
import { STATE_FILE, verifyFolder } from './checked-folder.js';
import type { RunDirectory } from './run-directory.js';

/** Where a Trainer goes on. */
export interface ResumePoint {
  step: number;
  folder: string;
}

/** The newest checkpoint, or what was saved after it. */
export async function resumePoint(run: RunDirectory): Promise<ResumePoint | undefined> {
  return (await resumePoints(run)).at(-1);
}

/**
 * The same, read through: one that is damaged is moved out of the way, and the one before takes its place. In lockstep
 * the steps between them are taken again to the same bits.
 *
 * @param onDamage told what was moved and where training goes on
 */
export async function soundResumePoint(
  run: RunDirectory,
  onDamage: (message: string) => void,
): Promise<ResumePoint | undefined> {
  for (;;) {
    const points = await resumePoints(run);
    const point = points.at(-1);
    if (!point) return undefined;
    const before = points.at(-2);
    const damage = await damageOf(run, point);
    if (!damage) return point;
    // The first checkpoint is the model that the run starts from.
    if (!before && point.step > 0) throw damage;
    const aside = await moveAside(run, point);
    const from = before ? `that of step ${before.step}` : 'the beginning';
    onDamage(`${damage.message}; it is in ${aside} now, and training goes on from ${from}`);
  }
}

/** Removes what was saved before a step between checkpoints: there is something newer to go on from. */
export async function forgetResumePoints(run: RunDirectory, before: number): Promise<void> {
  for (const step of await run.steps('resume')) {
    if (step < before) await removeDirectory(run.stepPath('resume', step));
  }
}

/** All of them, ascending; what a checkpoint of the same step makes superfluous is left out. */
async function resumePoints(run: RunDirectory): Promise<ResumePoint[]> {
  const checkpoints = await run.steps('checkpoints');
  const between = (await run.steps('resume')).filter((step) => !checkpoints.includes(step));
  return [
    ...checkpoints.map((step) => ({ step, folder: run.stepPath('checkpoints', step) })),
    ...between.map((step) => ({ step, folder: run.stepPath('resume', step) })),
  ].sort((a, b) => a.step - b.step);
}

async function damageOf(
  run: RunDirectory,
  { step, folder }: ResumePoint,
): Promise<DamagedFileError | undefined> {
  const options = {
    what: `what step ${step} left to go on from`,
    remedy: `no checkpoint before it is left: restore it from a copy, or train ${run.path} anew`,
  };
  try {
    if (!(await exists(`${folder}/${STATE_FILE}`)))
      throw new DamagedFileError(`${folder}/${STATE_FILE}`, 'no such file', options);
    await verifyFolder(folder, options);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFileError) return error;
    throw error;
  }
}

/** Nothing is removed: somebody may find out what happened to it, or mend it. */
async function moveAside(run: RunDirectory, { folder }: ResumePoint): Promise<string> {
  const name = `${basename(dirname(folder))}-${basename(folder)}`;
  const taken = (number: number): string => run.file('damaged', number === 1 ? name : `${name}-${number}`);
  let number = 1;
  while (await exists(taken(number))) number++;
  await makeDirectory(run.file('damaged'));
  await rename(folder, taken(number));
  return taken(number);
}
