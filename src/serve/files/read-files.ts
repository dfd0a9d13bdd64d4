import { Worker } from 'node:worker_threads';
import { packageFile } from '../../base/package-files.js';
import { ApiError } from '../api-error.js';
import type { FileRead, SentFile } from './sent-file.js';

/** Far more than a file that a server takes can need, and less than what would take the server down. */
const MOST_MEGABYTES = 1024;

/** Reads sent files in a worker thread, which ends when they are not wanted any more or take too much memory. */
export function readFiles(files: readonly SentFile[], signal: AbortSignal): Promise<FileRead[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(packageFile('dist/serve/files/read-file-worker.js'), {
      workerData: files,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
    });
    const stop = (): void => void worker.terminate();
    signal.addEventListener('abort', stop);
    worker.on('message', resolve);
    worker.on('error', (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(files, error) : error),
    );
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      // Comes after the result, too, and then changes nothing.
      reject(signal.reason ?? new Error('the worker that reads files has ended without a result'));
    });
  });
}

function tooMuch(files: readonly SentFile[], cause: Error): ApiError {
  const names = files.map(({ path }) => `"${path}"`).join(', ');
  return new ApiError(
    413,
    'too_large',
    `${names}: reading it takes more than ${MOST_MEGABYTES} MB of memory`,
    {
      hint: 'split it, or let `nearmiss data import` read it',
      cause,
    },
  );
}
