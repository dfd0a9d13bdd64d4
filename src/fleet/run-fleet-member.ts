// The environment of a worker thread is a copy that native code does not see, so it is set here.
import { secondsSince } from '../base/numbers/seconds-since.js';
import '../engine/no-telemetry.js';

import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker as Thread } from 'node:worker_threads';
import type { Job } from 'bullmq';
import { hasCode, NearmissError } from '../base/errors.js';
import { clearAbandoned } from '../base/folders/abandoned.js';
import { packageFile } from '../base/package-files.js';
import { partialPath } from '../base/partial-path.js';
import { WorkerCalls } from '../base/worker-calls.js';
import { connectQueue } from './connect.js';
import { FLEET_QUEUE, type FleetJob, newestKey, readJob } from './fleet-job.js';
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
  onShard?: (shard: { task: string; items: number; seconds: number; id: string }) => void;
  /** Told once it listens. */
  onReady?: () => void;
  /** Told that the queue is away, and when it is back. */
  onNote?: (note: string) => void;
  /** Told of shards that failed here. */
  onError?: (message: string) => void;
}

/** What a thread begins with. */
export interface ThreadStart {
  task: string;
  folder: string;
  settings: FleetJob['settings'];
  threads?: number;
}

/** What it says of the model it has loaded. */
export type LoadedModel = FleetJob['expects'];

/** A model in a thread of its own: computing blocks a thread, and this one has to renew the lock of its shard. */
interface Engine {
  key: string;
  /** Of the model. */
  folder: string;
  loaded: LoadedModel;
  calls: WorkerCalls<Uint8Array, Uint8Array, LoadedModel>;
}

/** A later step of the same group has been asked for. */
class Superseded extends Error {}

/** Of folders: what lies in the system's folder for temporary files is for nobody else. */
const OWNER_ONLY = 0o700;
const LOOK_MS = 1000;
/** How long a shard rests that a worker without room has given back. */
const GIVEN_BACK_MS = 500;
const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Takes shards from a queue and does them, until it is told to stop. */
export async function runFleetMember(options: FleetMemberOptions): Promise<void> {
  const { lockSeconds = 60, signal, onShard, onNote, onError } = options;
  const store = await FleetStore.open(options.store);
  const { bullmq, redis } = await connectQueue(options.queue, onNote);
  const folder = partialPath(join(tmpdir(), 'nearmiss-worker'));
  // Models of workers that were killed.
  await clearAbandoned(tmpdir());
  let engine: Engine | undefined;
  let full: NearmissError | undefined;
  const leave = new AbortController();
  /** A training brings a model for each of its steps: none is kept longer than it is used. */
  const drop = async (): Promise<void> => {
    const ended = engine;
    engine = undefined;
    await ended?.calls.end();
    if (ended) await rm(ended.folder, { recursive: true, force: true });
  };
  const isOld = async ({ group, order }: FleetJob): Promise<boolean> =>
    group !== undefined && Number((await redis.get(newestKey(group))) ?? 0) > (order ?? 0);

  const compute = async (job: FleetJob): Promise<void> => {
    // Delivered twice: somebody else has done it.
    if ((await store.result(job)) || (await isOld(job))) return;
    const started = performance.now();
    const { task, model, settings } = job;
    const key = JSON.stringify([task, model, settings]);
    if (engine?.key !== key) {
      await drop();
      const own = join(folder, model);
      await mkdir(folder, { recursive: true, mode: OWNER_ONLY });
      await store.fetchModel(model, own);
      engine = await startEngine(key, { task, folder: own, settings, threads: options.threads });
    }
    const input = await store.input(job);
    const result = await resultOf(engine, job, input).catch(async (error) => {
      // The thread may have died of it, and the next try may find the model mended.
      await drop();
      throw error;
    });
    await store.addResult(job, result);
    onShard?.({ task, items: job.items, id: job.id, seconds: secondsSince(started) });
  };
  const resultOf = async ({ calls, loaded }: Engine, job: FleetJob, input: Uint8Array) => {
    checkModel(loaded, job);
    return unlessOld(calls.ask(input), () => isOld(job));
  };
  const work = async (queued: Job, token?: string): Promise<void> => {
    try {
      await compute(readJob(queued.data));
    } catch (error) {
      if (error instanceof Superseded) return;
      if (!hasNoRoom(error)) throw error;
      // The shard is not to blame: another machine has room.
      full = new NearmissError(`there is no room left here: ${(error as Error).message}`, {
        hint: 'this worker has left the fleet; its shard went back to the queue',
        cause: error,
      });
      await queued.moveToDelayed(Date.now() + GIVEN_BACK_MS, token);
      leave.abort();
      throw new bullmq.DelayedError();
    }
  };
  const worker = new bullmq.Worker(FLEET_QUEUE, work, {
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
    await ended(AbortSignal.any([leave.signal, ...(signal ? [signal] : [])]));
  } finally {
    await worker.close();
    await drop();
    redis.disconnect();
    await rm(folder, { recursive: true, force: true });
  }
  if (full) throw full;
}

async function startEngine(key: string, workerData: ThreadStart): Promise<Engine> {
  const thread = new Thread(packageFile('dist/cli/fleet/task-worker.js'), { workerData });
  const calls: Engine['calls'] = new WorkerCalls(thread, 'computing thread');
  try {
    return { key, folder: workerData.folder, calls, loaded: await calls.started };
  } catch (error) {
    await calls.end();
    await rm(workerData.folder, { recursive: true, force: true });
    throw error;
  }
}

/** What the store holds must be what was asked for. */
function checkModel(loaded: LoadedModel, { expects, model }: FleetJob): void {
  for (const [what, expected] of Object.entries(expects)) {
    if (loaded[what] === expected) continue;
    throw new NearmissError(`models/${model}: expected ${what} ${expected}, got ${loaded[what]}`, {
      hint: 'remove that model from the store and ask again',
    });
  }
}

/** Gives up waiting for a result that nobody wants any more. */
async function unlessOld<T>(result: Promise<T>, isOld: () => Promise<boolean>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const old = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      isOld().then(
        (isSo) => isSo && reject(new Superseded()),
        () => undefined,
      );
    }, LOOK_MS);
  });
  try {
    return await Promise.race([result, old]);
  } finally {
    clearInterval(timer);
    // The thread is ended: whoever waits for it has been told.
    result.catch(() => undefined);
  }
}

function hasNoRoom(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (NO_ROOM.some((code) => hasCode(at, code))) return true;
  return false;
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
}
