import { type Closing, closingAfter } from '../../base/closing.js';
import { NearmissError } from '../../base/errors.js';
import { unwritable } from '../../base/files.js';
import { clearAbandonedBelow } from '../../base/folders/abandoned.js';
import { holdFileLock } from '../../base/lock/file-lock.js';
import { adviceOn, describeHolder } from '../../base/lock/lock-holder.js';
import type { SessionOptions } from '../../engine/index.js';
import type { FleetPlace } from '../../fleet/index.js';
import { verifyFolder } from '../../run/checked-folder.js';
import { EventWriter, type Role, type TimedEvent } from '../../run/events.js';
import { openRun } from '../../run/open-run.js';
import { forgetResumePoints, soundResumePoint } from '../../run/resume-point.js';
import { joinRun, readRunDescription } from '../../run/run-description.js';
import { READ_ONLY_RUN, RunDirectory, START_FOLDER } from '../../run/run-directory.js';
import { trainedKinds } from '../model/kinds.js';
import { runInferencer } from '../refresh/inferencer.js';
import { runTrainer } from '../trainer.js';
import { endsEarly } from './early-stop.js';
import { roleLock } from './role-lock.js';

export interface ProcessOptions {
  session?: SessionOptions;
  /** Ends the process after its present step. */
  stopSignal?: AbortSignal;
  onEvent?: (event: TimedEvent) => void;
  /** Pauses the run at this checkpoint, when it has been measured. */
  until?: number;
  /** How long to wait for another process of the same role to let go of the run. */
  waitMs?: number;
  quiet?: boolean;
  /** The Inferencer has the collection encoded by the workers of a queue. */
  fleet?: FleetPlace;
}

/** Takes a role in a run until the run is finished or a stop is asked for. Only one process may have each role. */
export async function takeRole(role: Role, path: string, options: ProcessOptions = {}): Promise<void> {
  const { waitMs = 0 } = options;
  const run = new RunDirectory(path);
  await readRunDescription(run);
  const lock = await holdFileLock(run.file(roleLock(role)), {
    waitMs,
    onWait: (message) => process.emitWarning(message),
  }).catch((error) => {
    throw unwritable(path, error, READ_ONLY_RUN);
  });
  if ('heldBy' in lock) {
    throw new NearmissError(`${path}: ${describeHolder(lock.heldBy)} is this run's ${role} already`, {
      hint: `a run has one ${role}: stop that process first${adviceOn(lock.heldBy, roleLock(role))}`,
    });
  }
  try {
    await clearAbandonedBelow(path);
    await closingAfter((closing) => work(role, { run, lost: lock.lost, closing, options }));
  } finally {
    await lock.release();
  }
}

interface Work {
  run: RunDirectory;
  /** Aborted when another process has taken the role over. */
  lost: AbortSignal;
  closing: Closing;
  options: ProcessOptions;
}

async function work(role: Role, { run, lost, closing, options }: Work): Promise<void> {
  const { session = {}, stopSignal, onEvent, until, quiet, fleet } = options;
  const events = await closing.add(EventWriter.open(run.file('events', `${role}.jsonl`), onEvent));
  const { recipe } = await joinRun(run);
  const folder = await modelOf(role, run);
  const model = await trainedKinds.get(recipe.model.kind).load(folder);
  const { description, stages } = await openRun(run.path, { quiet, reader: model.reader });
  await closing.add(stages);
  if (role === 'inferencer') {
    const signal = AbortSignal.any([lost, ...(stopSignal ? [stopSignal] : [])]);
    await runInferencer({ run, recipe, stages, events, session, signal, until, fleet });
    lost.throwIfAborted();
    return;
  }
  let early = false;
  const shouldStop = async (step: number): Promise<boolean> => {
    // Whoever has the run now must not find anything that was written here after that.
    lost.throwIfAborted();
    early ||= await endsEarly(step, { run, recipe, events, stopSignal });
    return early || stopSignal?.aborted === true || (until !== undefined && step >= until);
  };
  await runTrainer({ run, description, stages, model, events, session, shouldStop });
  lost.throwIfAborted();
  if (early) {
    await run.finish({ stoppedEarly: true });
    await forgetResumePoints(run, Number.POSITIVE_INFINITY);
  }
}

/**
 * The Trainer goes on with what was saved last; of the start, which is the same in all but the weights, the Inferencer
 * takes how texts are read: the Trainer may be moving checkpoints now.
 */
async function modelOf(role: Role, run: RunDirectory): Promise<string> {
  const resumed =
    role === 'trainer' ? await soundResumePoint(run, (message) => process.emitWarning(message)) : undefined;
  if (resumed) return resumed.folder;
  const start = run.file(START_FOLDER);
  await verifyFolder(start, {
    what: 'the model that the run starts from',
    remedy: `restore it from a copy, or train ${run.path} anew`,
  });
  return start;
}
