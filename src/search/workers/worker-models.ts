// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../../engine/no-telemetry.js';

import { Worker } from 'node:worker_threads';
import { NearmissError } from '../../base/errors.js';
import { workerUrl } from '../../base/worker-url.js';
import type { SessionOptions } from '../../engine/index.js';
import { CROSS_ENCODER_PART } from '../cross-encoder-reranker.js';
import type { Embedder, EmbedderInfo, TextUse } from '../embedder.js';
import type { Reranker } from '../reranker.js';
import type { WorkerReply, WorkerStart, WorkerTask } from './messages.js';

/** Opens a model in a worker thread, so that the caller stays free while it encodes. */
export async function openEmbedderInWorker(model: string, session?: SessionOptions): Promise<Embedder> {
  const worker = await ModelWorker.start({ kind: 'embedder', model, session });
  if (!worker.info) throw new Error('The worker started without saying what it opened');
  return {
    info: worker.info,
    encode: (texts: readonly string[], use: TextUse) => worker.ask({ kind: 'encode', texts, use }),
    close: () => worker.end(),
  };
}

/** Opens a cross-encoder in a worker thread. */
export async function openCrossEncoderInWorker(model: string, session?: SessionOptions): Promise<Reranker> {
  const worker = await ModelWorker.start({ kind: 'reranker', model, session });
  return {
    name: CROSS_ENCODER_PART,
    score: (query, texts) => worker.ask({ kind: 'score', query, texts }),
    close: () => worker.end(),
  };
}

interface Waiting {
  resolve: (reply: WorkerReply) => void;
  reject: (error: Error) => void;
}

/** Matches a worker's replies with requests; when it dies, whoever waits is told. */
class ModelWorker {
  info: EmbedderInfo | undefined;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;
  #dead: Error | undefined;

  private constructor(start: WorkerStart) {
    this.#worker = new Worker(workerUrl(import.meta.url, './model-worker.js'), { workerData: start });
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new NearmissError('the model worker has ended')));
  }

  static async start(start: WorkerStart): Promise<ModelWorker> {
    const worker = new ModelWorker(start);
    try {
      const reply = await worker.#reply(0);
      if ('info' in reply) worker.info = reply.info;
      return worker;
    } catch (error) {
      await worker.end();
      throw error;
    }
  }

  async ask(task: WorkerTask): Promise<Float32Array> {
    if (this.#dead) throw this.#dead;
    const id = ++this.#requests;
    this.#worker.postMessage({ id, task });
    const reply = await this.#reply(id);
    if (!('values' in reply)) throw new Error('The worker answered a task with something else');
    return reply.values;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #reply(id: number): Promise<WorkerReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #settle(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(new NearmissError(reply.error.message, { hint: reply.error.hint }));
    else waiting?.resolve(reply);
  }

  #die(error: Error): void {
    this.#dead ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
  }
}
