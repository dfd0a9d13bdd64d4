// Runs an embedder or a reranker in a worker thread for open-in-worker.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls, type Handover } from '../../base/worker-calls.js';
import type { EncodingSession } from '../../model/precision/precision.js';
import { loadModules } from '../../recipe/modules.js';
import type { Explainer, Explanation } from '../explain/explanation.js';
import type {
  ExplainTask,
  WorkerInfo,
  WorkerKind,
  WorkerReplies,
  WorkerStart,
  WorkerTasks,
} from './messages.js';

interface Loaded<Kind extends WorkerKind> {
  started: WorkerInfo[Kind];
  answer(task: WorkerTasks[Kind]): Promise<Handover<WorkerReplies[Kind]>>;
}

type Loader<Kind extends WorkerKind> = (model: string, session?: EncodingSession) => Promise<Loaded<Kind>>;

/** Each imports only what its kind needs: a worker's modules are most of the time it takes to start. */
const LOADERS: { [Kind in WorkerKind]: Loader<Kind> } = {
  async embedder(model, session) {
    const { LocalEmbedder } = await import('../embedder.js');
    const embedder = await LocalEmbedder.open(model, session);
    return {
      started: embedder.info,
      answer: async (task) => {
        if ('explainFor' in task) return explain(embedder, task);
        const { texts, use, split } = task;
        const reply = await embedder.encode(texts, use, { split });
        return { reply, transfer: [bufferOf(reply.vectors), bufferOf(reply.offsets)] };
      },
    };
  },
  async reranker(model, session) {
    const { openReranker } = await import('../retrievers/open-reranker.js');
    const reranker = await openReranker(model, session);
    return {
      started: {
        name: reranker.name,
        fingerprint: reranker.fingerprint,
        explains: reranker.explain !== undefined,
      },
      answer: async (task) => {
        if ('explainFor' in task) return explain(reranker, task);
        const { query, texts } = task;
        const reply = await reranker.score(query, texts);
        return { reply, transfer: [bufferOf(reply)] };
      },
    };
  },
};

async function explain(
  { explain: explained }: Explainer,
  { explainFor: query, texts }: ExplainTask,
): Promise<Handover<Explanation[]>> {
  return { reply: await explained!(query, texts), transfer: [] };
}

function bufferOf({ buffer }: Float32Array | Uint32Array): ArrayBuffer {
  return buffer as ArrayBuffer;
}

async function serve<Kind extends WorkerKind>(start: WorkerStart<Kind>): Promise<void> {
  const { kind, model, session, modules } = start;
  const load: Loader<Kind> = LOADERS[kind];
  await answerCalls(parentPort!, async () => {
    await loadModules(modules);
    return load(model, session);
  });
}

await serve(workerData as WorkerStart);
