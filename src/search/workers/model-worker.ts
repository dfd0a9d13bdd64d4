// Runs an embedder or a reranker in a worker thread for worker-models.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../../base/worker-calls.js';
import { loadModules } from '../../recipe/modules.js';
import type { WorkerInfo, WorkerReply, WorkerStart, WorkerTask } from './messages.js';

interface Loaded {
  info: WorkerInfo[WorkerStart['kind']];
  work(task: WorkerTask): Promise<WorkerReply>;
}

/** Imports only what its kind needs: a worker's modules are most of the time it takes to start. */
async function load({ kind, model, session, modules }: WorkerStart): Promise<Loaded> {
  await loadModules(modules);
  if (kind === 'embedder') {
    const { LocalEmbedder } = await import('../embedder.js');
    const embedder = await LocalEmbedder.open(model, session);
    return {
      info: embedder.info,
      work: async (task) => {
        if (task.kind === 'encode') return [await embedder.encode(task.texts, task.use)];
        if (task.kind === 'encode pieces of') return embedder.encodePieces(task.texts, task.split);
        return wrongTask(task);
      },
    };
  }
  const { openCrossEncoder } = await import('../retrievers/cross-encoder-reranker.js');
  const reranker = await openCrossEncoder(model, session);
  return {
    info: { fingerprint: reranker.fingerprint },
    work: async (task) =>
      task.kind === 'score' ? [await reranker.score(task.query, task.texts)] : wrongTask(task),
  };
}

function wrongTask({ kind }: WorkerTask): never {
  throw new Error(`This worker cannot ${kind}`);
}

await answerCalls<WorkerTask, WorkerReply, Loaded['info']>(parentPort!, async () => {
  const { info, work } = await load(workerData as WorkerStart);
  return {
    started: info,
    answer: async (task) => {
      const reply = await work(task);
      return { reply, transfer: reply.map(({ buffer }) => buffer as ArrayBuffer) };
    },
  };
});
