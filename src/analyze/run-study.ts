// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../engine/no-telemetry.js';

import { Worker } from 'node:worker_threads';
import { NearmissError } from '../base/errors.js';
import { packageFile } from '../base/package-files.js';
import { loadedModules } from '../recipe/modules.js';
import { NotThereError } from './not-there.js';
import type { QualityOptions } from './quality/measure.js';
import type { Quality } from './quality/quality.js';
import type { SpaceOptions } from './space/space.js';
import type { SpacePicture } from './space/space-picture.js';
import type { StudyProgress } from './study-progress.js';

/** Looks at a run that take long, with what they need and what they give. */
export interface Studies {
  space: { options: Omit<SpaceOptions, 'onProgress'>; result: SpacePicture[] };
  quality: { options: Omit<QualityOptions, 'onProgress'>; result: Quality };
}

export type StudyKind = keyof Studies;

/** What a worker is asked for. */
export type StudyTask = { [Kind in StudyKind]: { kind: Kind; options: Studies[Kind]['options'] } }[StudyKind];

/** What it says. */
export type StudyMessage =
  | { progress: StudyProgress }
  | { result: unknown }
  | { error: { message: string; hint?: string; kind: 'not-there' | 'expected' | 'fault'; stack?: string } };

export interface RunStudyOptions {
  onProgress?: (progress: StudyProgress) => void;
  /** Ends the worker. */
  signal?: AbortSignal;
}

/**
 * Looks at a run in a worker thread, so that the caller stays responsive: for servers.
 *
 * @example
 * const quality = await runStudy('quality', { run: 'runs/medquad', split: 'test' });
 */
export function runStudy<Kind extends StudyKind>(
  kind: Kind,
  options: Studies[Kind]['options'],
  { onProgress, signal }: RunStudyOptions = {},
): Promise<Studies[Kind]['result']> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(packageFile('dist/analyze/study-worker.js'), {
      workerData: { kind, options, modules: loadedModules() },
    });
    const stop = (): void => void worker.terminate();
    signal?.addEventListener('abort', stop);
    worker.on('message', (message: StudyMessage) => {
      if ('progress' in message) onProgress?.(message.progress);
      else if ('result' in message) resolve(message.result as Studies[Kind]['result']);
      else reject(errorOf(message.error));
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      signal?.removeEventListener('abort', stop);
      // Comes after the result, too, and then changes nothing.
      reject(new NearmissError(`the worker for ${kind} has ended without a result`));
    });
  });
}

function errorOf({ message, hint, kind, stack }: Extract<StudyMessage, { error: unknown }>['error']): Error {
  if (kind === 'not-there') return new NotThereError(message, { hint });
  if (kind === 'expected') return new NearmissError(message, { hint });
  return Object.assign(new Error(message), { stack });
}
