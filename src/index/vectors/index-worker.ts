// Runs an index in a worker thread for worker-index.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { NearmissError } from '../../base/errors.js';
import { openVectorIndex } from './open.js';
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-index.js';

const port = parentPort!;
const { folder, options } = workerData as WorkerStart;

function reply(message: WorkerReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function fail(id: number, error: unknown): void {
  const { message } = error instanceof Error ? error : new Error(String(error));
  reply({ id, error: { message, hint: error instanceof NearmissError ? error.hint : undefined } });
}

try {
  const index = await openVectorIndex(folder, options);
  port.on('message', async ({ id, queries, options }: WorkerRequest) => {
    try {
      const result = await index.search(queries, options);
      reply({ id, result }, [result.ids.buffer as ArrayBuffer, result.scores.buffer as ArrayBuffer]);
    } catch (error) {
      fail(id, error);
    }
  });
  reply({ id: 0, metadata: index.metadata });
} catch (error) {
  fail(0, error);
}
