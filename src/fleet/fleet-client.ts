import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { NearmissError } from '../base/errors.js';
import { connectQueue, type QueueParts } from './connect.js';
import {
  FLEET_QUEUE,
  type FleetJob,
  type FleetJobSettings,
  newestKey,
  readJob,
  shardId,
} from './fleet-job.js';
import { FleetStore } from './fleet-store.js';

/** Where a fleet is. */
export interface FleetPlace {
  /** `redis://HOST:PORT` */
  queue: string;
  /** A folder that all workers see, or `s3://BUCKET/PREFIX`. */
  store: string;
  /** Members of a shard, where it is known better than usual. */
  shardSize?: number;
}

export interface FleetClientOptions extends FleetPlace {
  settings: FleetJobSettings;
  /** Writes the model into a folder, where the store has none of its name. */
  fillModel(store: FleetStore): Promise<void>;
  /** Told what is worth knowing, e.g. that no worker is there. */
  log?: (line: string) => void;
  /** Ends waiting. */
  signal?: AbortSignal;
}

const [ATTEMPTS, FIRST_PAUSE_MS, POLL_MS, LONELY_MS] = [3, 1000, 50, 5000];
/** What BullMQ says of a job whose workers all went without a word. */
const ALWAYS_SILENT = 'job stalled more than allowable limit';
/** How often a shard is asked for again that the queue has lost. */
const MOST_TIMES_LOST = 5;

/**
 * Asks whatever workers listen to a queue. A shard's name says everything its result depends on: what was done before a kill of anybody is
 * found again, and a shard that is delivered twice is the same twice.
 */
export class FleetClient {
  readonly #parts: QueueParts;
  readonly #queue: Queue;
  readonly #store: FleetStore;
  readonly #options: FleetClientOptions;
  readonly #done: FleetJob[] = [];
  /** Shards that were in the queue before: tries that failed under whoever asked for them do not count. */
  readonly #adopted = new Set<string>();
  #lonelySince: number | undefined;

  private constructor(parts: QueueParts, store: FleetStore, options: FleetClientOptions) {
    this.#parts = parts;
    this.#queue = new parts.bullmq.Queue(FLEET_QUEUE, { connection: parts.redis });
    this.#queue.on('error', () => {});
    this.#store = store;
    this.#options = options;
  }

  static async open(options: FleetClientOptions): Promise<FleetClient> {
    const parts = await connectQueue(options.queue, options.log);
    try {
      const store = await FleetStore.open(options.store);
      if (!(await store.hasModel(options.settings.model))) await options.fillModel(store);
      const client = new FleetClient(parts, store, options);
      await client.#giveUpEarlier();
      return client;
    } catch (error) {
      parts.redis.disconnect();
      throw error;
    }
  }

  /** Asks for a shard; {@link FleetClient.result} waits for it. */
  async ask(items: number, input: Uint8Array): Promise<FleetJob> {
    const { settings } = this.#options;
    const id = shardId(settings, items, input);
    const job: FleetJob = { ...settings, items, id };
    if (await this.#store.result(job)) return job;
    await this.#store.addInput(job, input);
    const before = await this.#queue.getJob(job.id);
    // One that failed the last time would stand in the way of its successor.
    if (before && (await before.isFailed())) await before.remove();
    else if (before) this.#adopted.add(job.id);
    await this.#queue.add(job.task, job, {
      jobId: job.id,
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: FIRST_PAUSE_MS },
      removeOnComplete: true,
    });
    return job;
  }

  /** What became of a shard that was asked for. */
  async result(job: FleetJob, input: Uint8Array): Promise<Uint8Array> {
    for (let lost = 0; lost <= MOST_TIMES_LOST; lost++) {
      const result = await this.#waitFor(job);
      if (result) {
        this.#done.push(job);
        return result;
      }
      await this.ask(job.items, input);
    }
    throw new NearmissError(`the queue lost a shard of ${job.items} ${MOST_TIMES_LOST} times`, {
      hint: 'let Redis keep what it is told: appendonly yes, maxmemory-policy noeviction',
    });
  }

  /** Removes from the store what was given back, once whoever asked has it safe. */
  async forget(): Promise<void> {
    for (const job of this.#done.splice(0)) await this.#store.remove(job);
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#parts.redis.disconnect();
  }

  /** Undefined where the queue knows nothing of the shard and nobody has done it. */
  async #waitFor(job: FleetJob): Promise<Uint8Array | undefined> {
    for (;;) {
      this.#options.signal?.throwIfAborted();
      const result = await this.#store.result(job);
      if (result) return result;
      const queued = await this.#queue.getJob(job.id);
      // Done and taken off between the two questions, or lost.
      if (!queued) return this.#store.result(job);
      if (await queued.isFailed()) {
        if (this.#adopted.delete(job.id)) return undefined;
        throw failed(job, queued.failedReason);
      }
      await this.#tellIfLonely();
      await sleep(POLL_MS);
    }
  }

  /** The newest step wins: shards of earlier ones are taken off the queue, and workers leave those at hand. */
  async #giveUpEarlier(): Promise<void> {
    const { group, order } = this.#options.settings;
    if (group === undefined || order === undefined) return;
    await this.#parts.redis.set(newestKey(group), order);
    for (const queued of await this.#queue.getJobs(['waiting', 'delayed', 'prioritized', 'failed'])) {
      if (!queued) continue;
      const job = readJob(queued.data);
      if (job.group !== group || (job.order ?? order) >= order) continue;
      // A worker may just have taken it; it will look for the newest itself.
      await queued.remove().catch(() => undefined);
      await this.#store.remove(job);
    }
  }

  async #tellIfLonely(): Promise<void> {
    if (this.#lonelySince === Number.POSITIVE_INFINITY) return;
    this.#lonelySince ??= Date.now();
    if (Date.now() - this.#lonelySince < LONELY_MS) return;
    if ((await this.#queue.getWorkersCount()) > 0) this.#lonelySince = undefined;
    else {
      this.#options.log?.(
        `no worker listens to the queue: nearmiss fleet worker --queue … --store ${this.#store.address}`,
      );
      this.#lonelySince = Number.POSITIVE_INFINITY;
    }
  }
}

/** Why a shard is not there. */
function failed({ task, items }: FleetJob, reason: string): NearmissError {
  if (reason === ALWAYS_SILENT) {
    return new NearmissError(
      `every worker that took a shard of ${items} to ${task} was killed or fell silent`,
      {
        hint: 'look for the reason on their machines (is there memory enough?), and give workers less at once where --shard-size is an option; the same command goes on with what is done',
      },
    );
  }
  return new NearmissError(`a worker cannot ${task} a shard of ${items}: ${reason}`, {
    hint: `it was tried ${ATTEMPTS} times; the same command goes on with what is done`,
  });
}
