// Runs an index in a worker thread for worker-index.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../../base/worker-calls.js';
import { openSearchIndex } from './open.js';
import type { SearchResult, VectorIndexMetadata } from './vector-index.js';
import type { WorkerSearch, WorkerStart } from './worker-index.js';

await answerCalls<WorkerSearch, SearchResult, VectorIndexMetadata>(parentPort!, async () => {
  const { folder, options } = workerData as WorkerStart;
  const index = await openSearchIndex(folder, options);
  return {
    started: index.metadata,
    answer: async ({ queries, options }) => {
      const reply = await index.search(queries, options);
      return { reply, transfer: [reply.ids.buffer as ArrayBuffer, reply.scores.buffer as ArrayBuffer] };
    },
  };
});
