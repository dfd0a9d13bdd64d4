import { NearmissError } from '../base/errors.js';
import { holdFileLock } from '../base/file-lock.js';
import { exists, unwritable } from '../base/files.js';
import type { SessionOptions } from '../engine/index.js';
import { EventWriter, type TimedEvent } from './events.js';
import { runInferencer } from './inferencer.js';
import { readRunDescription } from './run-description.js';
import { READ_ONLY_RUN, RunDirectory } from './run-directory.js';
import { openRun } from './run-setup.js';
import { runTrainer } from './trainer.js';

export type Role = 'trainer' | 'inferencer';

export interface ProcessOptions {
  session?: SessionOptions;
  /** Ends the process after its present step. */
  stopSignal?: AbortSignal;
  onEvent?: (event: TimedEvent) => void;
  /** How long to wait for another process of the same role to let go of the run. */
  waitMs?: number;
  quiet?: boolean;
}

/** Takes a role in a run until the run is finished or a stop is asked for. Only one process may have each role. */
export async function takeRole(role: Role, path: string, options: ProcessOptions = {}): Promise<void> {
  const { session = {}, stopSignal, onEvent, waitMs = 0, quiet } = options;
  const run = new RunDirectory(path);
  await readRunDescription(run);
  const lock = await holdFileLock(run.file(`${role}.lock`), { waitMs }).catch((error) => {
    throw unwritable(path, error, READ_ONLY_RUN);
  });
  if ('heldBy' in lock) {
    throw new NearmissError(`${path}: process ${lock.heldBy} is this run's ${role} already`, {
      hint: `a run has one ${role}; stop that process first (if it runs on another machine and is gone, remove ${role}.lock)`,
    });
  }
  const events = await EventWriter.open(run.file('events', `${role}.jsonl`), onEvent);
  try {
    const { description, data, model } = await openRun(path, { quiet });
    const { recipe, recipeFingerprint } = description;
    if (role === 'inferencer') {
      const shouldStop = async (): Promise<boolean> => stopSignal?.aborted === true;
      await runInferencer({ run, recipe, data, events, session, shouldStop });
    } else {
      const shouldStop = async (): Promise<boolean> => {
        return stopSignal?.aborted === true || (await stoppedEarly(run));
      };
      await runTrainer({ run, recipe, recipeFingerprint, data, model, events, session, shouldStop });
      if (await stoppedEarly(run)) await run.finish({ stoppedEarly: true });
    }
    await data.close();
  } finally {
    await events.close();
    await lock.release();
  }
}

/** Whether the Inferencer has asked for an end because nothing got better any more. */
function stoppedEarly(run: RunDirectory): Promise<boolean> {
  return exists(run.file('stop.json'));
}
