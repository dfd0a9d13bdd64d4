// Computes shards in a thread of its own for src/fleet/run-fleet-member.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../../base/worker-calls.js';
import type { LoadedModel, ThreadStart } from '../../fleet/index.js';
import { fleetTasks } from './tasks.js';

const { task, ...start } = workerData as ThreadStart;

await answerCalls<Uint8Array, Uint8Array, LoadedModel>(parentPort!, async () => {
  const { loaded, compute } = await fleetTasks.get(task).open(start);
  return {
    started: loaded,
    answer: async (input) => {
      const reply = await compute(input);
      // Another's memory, e.g. of a pool, is not to be given away.
      const own = reply.buffer.byteLength === reply.byteLength ? reply : Uint8Array.from(reply);
      return { reply: own, transfer: [own.buffer as ArrayBuffer] };
    },
  };
});
