// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../../engine/no-telemetry.js';

import { Worker } from 'node:worker_threads';
import { packageFile } from '../../base/package-files.js';
import { WorkerCalls } from '../../base/worker-calls.js';
import { checkSearch } from './check-vectors.js';
import type { OpenOptions } from './open.js';
import type { SearchOptions, SearchResult, VectorIndexMetadata, VectorSearcher } from './vector-index.js';

export interface WorkerStart {
  folder: string;
  options: OpenOptions;
}

export interface WorkerSearch {
  queries: Float32Array;
  options: SearchOptions;
}

/**
 * Opens an index in a worker thread, so that the caller stays responsive while it searches: for servers. Searches
 * queue up there.
 */
export async function openVectorIndexInWorker(
  folder: string,
  options: OpenOptions = {},
): Promise<VectorSearcher> {
  const workerData: WorkerStart = { folder, options };
  const worker = new Worker(packageFile('dist/index/vectors/index-worker.js'), { workerData });
  const calls = new WorkerCalls<WorkerSearch, SearchResult, VectorIndexMetadata>(worker, 'search worker');
  try {
    return new WorkerIndex(await calls.started, calls);
  } catch (error) {
    await calls.end();
    throw error;
  }
}

class WorkerIndex implements VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  readonly #calls: WorkerCalls<WorkerSearch, SearchResult, VectorIndexMetadata>;

  constructor(
    metadata: VectorIndexMetadata,
    calls: WorkerCalls<WorkerSearch, SearchResult, VectorIndexMetadata>,
  ) {
    this.metadata = metadata;
    this.#calls = calls;
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    checkSearch(queries, options, this.metadata);
    // The caller keeps its array: what is transferred is a copy.
    const own = queries.slice();
    return this.#calls.ask({ queries: own, options }, [own.buffer as ArrayBuffer]);
  }

  async close(): Promise<void> {
    await this.#calls.end();
  }
}
