// Looks at a run in a worker thread for run-study.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { NearmissError } from '../base/errors.js';
import { loadModules } from '../recipe/modules.js';
import { NotThereError } from './not-there.js';
import { measureQuality } from './quality/measure.js';
import type { StudyMessage, StudyTask } from './run-study.js';
import { drawSpace } from './space/space.js';
import type { StudyProgress } from './study-progress.js';

const { modules, ...task } = workerData as StudyTask & { modules: string[] };

function say(message: StudyMessage): void {
  parentPort!.postMessage(message);
}

const onProgress = (progress: StudyProgress): void => say({ progress });

try {
  await loadModules(modules);
  const result =
    task.kind === 'space'
      ? await drawSpace({ ...task.options, onProgress })
      : await measureQuality({ ...task.options, onProgress });
  say({ result });
} catch (error) {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const kind =
    error instanceof NotThereError ? 'not-there' : error instanceof NearmissError ? 'expected' : 'fault';
  say({ error: { message, hint: error instanceof NearmissError ? error.hint : undefined, kind, stack } });
}
