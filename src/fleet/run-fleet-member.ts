// The environment of a worker thread is a copy that native code does not see, so it is set here.
import '../engine/no-telemetry.js';

import { Worker as Thread } from 'node:worker_threads';
import { NearmissError } from '../base/errors.js';
import { packageFile } from '../base/package-files.js';
import { WorkerCalls } from '../base/worker-calls.js';
import { connectQueue } from './connect.js';
import { ENCODE_QUEUE, type EncodeJob, readJob } from './encode-job.js';
import type { LoadedModel, ThreadAnswer, ThreadRequest, ThreadStart } from './encode-messages.js';
import { FleetStore } from './fleet-store.js';

export interface FleetMemberOptions {
  queue: string;
  store: string;
  threads?: number;
  /** After how many seconds of silence another worker takes over a shard. */
  lockSeconds?: number;
  /** Ends after the shard at hand. */
  signal?: AbortSignal;
  /** Told of each shard. */
  onShard?: (shard: { texts: number; seconds: number; id: string }) => void;
  /** Told once it listens. */
  onReady?: () => void;
  /** Told of shards that failed here. */
  onError?: (message: string) => void;
}

/** A model in a thread of its own: computing blocks a thread, and this one has to renew the lock of its shard. */
interface Engine {
  key: string;
  loaded: LoadedModel;
  calls: WorkerCalls<ThreadRequest, ThreadAnswer, LoadedModel>;
}

/** Takes shards from a queue and encodes them, until it is told to stop. */
export async function runFleetMember(options: FleetMemberOptions): Promise<void> {
  const { lockSeconds = 60, signal, onShard, onError } = options;
  const { bullmq, redis } = await connectQueue(options.queue);
  const store = new FleetStore(options.store);
  let engine: Engine | undefined;
  const work = async (job: EncodeJob): Promise<void> => {
    // Delivered twice: somebody else has done it.
    if (await store.rows(job)) return;
    const started = performance.now();
    const key = `${job.model} ${job.precision}`;
    if (engine?.key !== key) {
      await engine?.calls.end();
      engine = undefined;
      engine = await startEngine(key, {
        folder: store.modelFolder(job.model),
        ...job,
        threads: options.threads,
      });
    }
    try {
      checkModel(engine.loaded, job);
    } catch (error) {
      // The next try may find the folder mended.
      await engine.calls.end();
      engine = undefined;
      throw error;
    }
    const rows = await engine.calls.ask({ texts: await store.texts(job), use: job.use });
    await store.addRows(job, rows);
    onShard?.({ texts: job.texts, id: job.id, seconds: (performance.now() - started) / 1000 });
  };
  const worker = new bullmq.Worker(ENCODE_QUEUE, ({ data }) => work(readJob(data)), {
    connection: redis,
    concurrency: 1,
    lockDuration: lockSeconds * 1000,
    stalledInterval: (lockSeconds * 1000) / 2,
    // Being killed is not the shard's fault.
    maxStalledCount: 10,
  });
  worker.on('error', () => {});
  worker.on('failed', (_, error) => onError?.(error.message));
  try {
    await worker.waitUntilReady();
    options.onReady?.();
    await new Promise<void>((done) => {
      if (signal?.aborted) done();
      signal?.addEventListener('abort', () => done(), { once: true });
    });
  } finally {
    await worker.close();
    await engine?.calls.end();
    redis.disconnect();
  }
}

async function startEngine(key: string, workerData: ThreadStart): Promise<Engine> {
  const thread = new Thread(packageFile('dist/fleet/encode-worker.js'), { workerData });
  const calls: Engine['calls'] = new WorkerCalls(thread, 'encoding thread');
  try {
    return { key, calls, loaded: await calls.started };
  } catch (error) {
    await calls.end();
    throw error;
  }
}

/** What the store holds must be what was asked for: a folder of this name may be of an older version, or damaged. */
function checkModel(loaded: LoadedModel, job: EncodeJob): void {
  for (const what of ['weights', 'tokenizer', 'dimension'] as const) {
    if (loaded[what] === job[what]) continue;
    throw new NearmissError(`models/${job.model}: expected ${what} ${job[what]}, got ${loaded[what]}`, {
      hint: 'remove that folder from the store and ask again',
    });
  }
}
