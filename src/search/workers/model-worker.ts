// Runs an embedder or a reranker in a worker thread for worker-models.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { NearmissError } from '../../base/errors.js';
import { openCrossEncoder } from '../cross-encoder-reranker.js';
import { type EmbedderInfo, LocalEmbedder } from '../embedder.js';
import type { WorkerReply, WorkerRequest, WorkerStart, WorkerTask } from './messages.js';

const port = parentPort!;

function fail(id: number, error: unknown): void {
  const { message } = error instanceof Error ? error : new Error(String(error));
  const hint = error instanceof NearmissError ? error.hint : undefined;
  port.postMessage({ id, error: { message, hint } } satisfies WorkerReply);
}

interface Loaded {
  info?: EmbedderInfo;
  work(task: WorkerTask): Promise<Float32Array>;
}

async function load({ kind, model, session }: WorkerStart): Promise<Loaded> {
  if (kind === 'embedder') {
    const embedder = await LocalEmbedder.open(model, session);
    return {
      info: embedder.info,
      work: (task) => (task.kind === 'encode' ? embedder.encode(task.texts, task.use) : wrongTask(task)),
    };
  }
  const reranker = await openCrossEncoder(model, session);
  return {
    work: (task) => (task.kind === 'score' ? reranker.score(task.query, task.texts) : wrongTask(task)),
  };
}

function wrongTask({ kind }: WorkerTask): never {
  throw new Error(`This worker cannot ${kind}`);
}

try {
  const { info, work } = await load(workerData as WorkerStart);
  port.on('message', async ({ id, task }: WorkerRequest) => {
    try {
      const values = await work(task);
      port.postMessage({ id, values } satisfies WorkerReply, [values.buffer as ArrayBuffer]);
    } catch (error) {
      fail(id, error);
    }
  });
  port.postMessage({ id: 0, info } satisfies WorkerReply);
} catch (error) {
  fail(0, error);
}
