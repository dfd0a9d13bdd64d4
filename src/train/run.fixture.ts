import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadRecipe } from '../recipe/load.js';
import type { Role } from '../run/events.js';
import { parseEvents, type TimedEvent } from '../run/events.js';
import type { RunDirectory } from '../run/run-directory.js';
import { createRun } from './process/create-run.js';
import { takeRole } from './process/processes.js';

export const ONE_THREAD = { session: { threads: 1 }, quiet: true };

/** Begins a run in `folder` on the collection in `folder/data`, without taking a step. */
export async function startRun(
  folder: string,
  name: string,
  { recipe: base = 'tiny', set = [] as string[] } = {},
): Promise<RunDirectory> {
  const { recipe } = await loadRecipe(base, { set });
  const data = join(folder, 'data');
  return createRun(join(folder, name), { data, split: 'train', recipe }, { quiet: true });
}

/** Trains a run to its end in this process. */
export async function bothRoles(run: RunDirectory): Promise<void> {
  await Promise.all([
    takeRole('trainer', run.path, ONE_THREAD),
    takeRole('inferencer', run.path, ONE_THREAD),
  ]);
}

/** Trains until a step is done, as if somebody had pressed Ctrl-C then. */
export async function stopAfter(run: RunDirectory, step: number): Promise<void> {
  const stop = new AbortController();
  const options = { ...ONE_THREAD, stopSignal: stop.signal };
  const onEvent = (event: TimedEvent): void => {
    if (event.type === 'step' && event.step === step) stop.abort();
  };
  await Promise.all([
    takeRole('trainer', run.path, { ...options, onEvent }),
    takeRole('inferencer', run.path, options),
  ]);
}

/** Trains until what the run started from has been measured, and no longer. */
export async function stopWhenMeasured(run: RunDirectory): Promise<void> {
  const stop = new AbortController();
  const options = { ...ONE_THREAD, stopSignal: stop.signal };
  const onEvent = (event: TimedEvent): void => {
    if (event.type === 'evaluation') stop.abort();
  };
  await Promise.all([
    takeRole('trainer', run.path, options),
    takeRole('inferencer', run.path, { ...options, onEvent }),
  ]);
}

export async function eventsOf(run: RunDirectory, role: Role): Promise<TimedEvent[]> {
  return parseEvents(await readFile(run.file('events', `${role}.jsonl`), 'utf8'));
}

export async function weightsOf(run: RunDirectory, step: number): Promise<Buffer> {
  return readFile(join(run.stepPath('checkpoints', step), 'model.safetensors'));
}
