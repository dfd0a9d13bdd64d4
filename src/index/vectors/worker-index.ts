// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../../engine/no-telemetry.js';

import { Worker } from 'node:worker_threads';
import { NearmissError } from '../../base/errors.js';
import { workerUrl } from '../../base/worker-url.js';
import { checkSearch } from './check-vectors.js';
import type { OpenOptions } from './open.js';
import type { SearchOptions, SearchResult, VectorIndexMetadata, VectorSearcher } from './vector-index.js';

export interface WorkerStart {
  folder: string;
  options: OpenOptions;
}

export interface WorkerRequest {
  id: number;
  queries: Float32Array;
  options: SearchOptions;
}

/** The answer to a request; number 0 answers the start. */
export type WorkerReply = { id: number } & (
  | { metadata: VectorIndexMetadata }
  | { result: SearchResult }
  | { error: { message: string; hint?: string } }
);

interface Waiting {
  resolve: (reply: WorkerReply) => void;
  reject: (error: Error) => void;
}

/**
 * Opens an index in a worker thread, so that the caller stays responsive while it searches: for servers. Searches
 * queue up there.
 */
export async function openVectorIndexInWorker(
  folder: string,
  options: OpenOptions = {},
): Promise<VectorSearcher> {
  const connection = new WorkerConnection({ folder, options });
  try {
    const reply = await connection.started;
    if (!('metadata' in reply)) throw new Error('The worker started without saying what it opened');
    return new WorkerIndex(reply.metadata, connection);
  } catch (error) {
    await connection.terminate();
    throw error;
  }
}

class WorkerIndex implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  readonly #connection: WorkerConnection;

  constructor(metadata: VectorIndexMetadata, connection: WorkerConnection) {
    this.metadata = metadata;
    this.#connection = connection;
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    checkSearch(queries, options, this.metadata);
    const reply = await this.#connection.request(queries, options);
    if (!('result' in reply)) throw new Error('The worker answered a search with something else');
    return reply.result;
  }

  async close(): Promise<void> {
    await this.#connection.terminate();
  }
}

/** Matches replies with requests; when the worker dies, whoever waits is told. */
class WorkerConnection {
  readonly started: Promise<WorkerReply>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;
  #dead: Error | undefined;

  constructor(start: WorkerStart) {
    this.#worker = new Worker(workerUrl(import.meta.url, './index-worker.js'), { workerData: start });
    this.started = this.#reply(0);
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new NearmissError('the search worker has ended')));
  }

  request(queries: Float32Array, options: SearchOptions): Promise<WorkerReply> {
    if (this.#dead) return Promise.reject(this.#dead);
    const request: WorkerRequest = { id: ++this.#requests, queries: queries.slice(), options };
    this.#worker.postMessage(request, [request.queries.buffer as ArrayBuffer]);
    return this.#reply(request.id);
  }

  async terminate(): Promise<void> {
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
