// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../../engine/no-telemetry.js';

import { Worker } from 'node:worker_threads';
import { packageFile } from '../../base/package-files.js';
import { WorkerCalls } from '../../base/worker-calls.js';
import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import type { EncodingSession } from '../../model/precision/precision.js';
import { loadedModules } from '../../recipe/modules.js';
import type { Embedder } from '../embedder.js';
import type { Explanation } from '../explain/explanation.js';
import type { Reranker } from '../retrievers/reranker.js';
import type {
  ExplainTask,
  WorkerInfo,
  WorkerKind,
  WorkerReplies,
  WorkerStart,
  WorkerTasks,
} from './messages.js';

/** Opens a model in a worker thread, so that the caller stays free while it encodes. */
export async function openEmbedderInWorker(model: string, session?: EncodingSession): Promise<Embedder> {
  const { info, calls } = await startModel('embedder', { model, session });
  return {
    info,
    encode: (texts, use, { split } = {}) => calls.ask({ texts, use, split }) as Promise<EncodedTexts>,
    ...(info.explains && { explain: explainBy(calls) }),
    close: () => calls.end(),
  };
}

/** Opens a reranker in a worker thread. */
export async function openRerankerInWorker(model: string, session?: EncodingSession): Promise<Reranker> {
  const { info, calls } = await startModel('reranker', { model, session });
  const { explains, ...known } = info;
  return {
    ...known,
    score: (query, texts) => calls.ask({ query, texts }) as Promise<Float32Array>,
    ...(explains && { explain: explainBy(calls) }),
    close: () => calls.end(),
  };
}

function explainBy(calls: { ask(task: ExplainTask): Promise<unknown> }): NonNullable<Embedder['explain']> {
  return (query, texts) => calls.ask({ explainFor: query, texts }) as Promise<Explanation[]>;
}

interface StartedModel<Kind extends WorkerKind> {
  info: WorkerInfo[Kind];
  calls: WorkerCalls<WorkerTasks[Kind], WorkerReplies[Kind], WorkerInfo[Kind]>;
}

async function startModel<Kind extends WorkerKind>(
  kind: Kind,
  what: Omit<WorkerStart, 'kind' | 'modules'>,
): Promise<StartedModel<Kind>> {
  const workerData: WorkerStart = { kind, ...what, modules: loadedModules() };
  const worker = new Worker(packageFile('dist/search/workers/model-worker.js'), { workerData });
  const calls: StartedModel<Kind>['calls'] = new WorkerCalls(worker, 'model worker');
  try {
    return { info: await calls.started, calls };
  } catch (error) {
    await calls.end();
    throw error;
  }
}
