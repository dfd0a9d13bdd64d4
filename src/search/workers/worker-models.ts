// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../../engine/no-telemetry.js';

import { Worker } from 'node:worker_threads';
import { packageFile } from '../../base/package-files.js';
import { WorkerCalls } from '../../base/worker-calls.js';
import type { SessionOptions } from '../../engine/index.js';
import type { Embedder, EmbedderInfo, TextUse } from '../embedder.js';
import { CROSS_ENCODER_PART, type Reranker } from '../reranker.js';
import type { WorkerReply, WorkerStart, WorkerTask } from './messages.js';

/** Opens a model in a worker thread, so that the caller stays free while it encodes. */
export async function openEmbedderInWorker(model: string, session?: SessionOptions): Promise<Embedder> {
  const { info, calls } = await startModel({ kind: 'embedder', model, session });
  if (!info) throw new Error('The worker started without saying what it opened');
  return {
    info,
    encode: async (texts: readonly string[], use: TextUse) =>
      (await calls.ask({ kind: 'encode', texts, use }))[0],
    encodePieces: (texts, split) => calls.ask({ kind: 'encode pieces of', texts, split }),
    close: () => calls.end(),
  };
}

/** Opens a cross-encoder in a worker thread. */
export async function openCrossEncoderInWorker(model: string, session?: SessionOptions): Promise<Reranker> {
  const { calls } = await startModel({ kind: 'reranker', model, session });
  return {
    name: CROSS_ENCODER_PART,
    score: async (query, texts) => (await calls.ask({ kind: 'score', query, texts }))[0],
    close: () => calls.end(),
  };
}

interface StartedModel {
  /** A reranker has nothing to say of itself. */
  info: EmbedderInfo | undefined;
  calls: WorkerCalls<WorkerTask, WorkerReply, EmbedderInfo | undefined>;
}

async function startModel(workerData: WorkerStart): Promise<StartedModel> {
  const worker = new Worker(packageFile('dist/search/workers/model-worker.js'), { workerData });
  const calls: StartedModel['calls'] = new WorkerCalls(worker, 'model worker');
  try {
    return { info: await calls.started, calls };
  } catch (error) {
    await calls.end();
    throw error;
  }
}
