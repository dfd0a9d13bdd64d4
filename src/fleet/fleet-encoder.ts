import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import { NearmissError } from '../base/errors.js';
import type { EncodedTexts } from '../model/encoder/encoded-texts.js';
import { embeddingSize } from '../model/encoder/encoder-graph.js';
import type { EncoderModel } from '../model/encoder/encoder-model.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import type { UsedPrecision } from '../model/precision/precision.js';
import { connectQueue, type QueueParts } from './connect.js';
import { ENCODE_QUEUE, type EncodeJob, hashOf, shardId } from './encode-job.js';
import { FleetStore } from './fleet-store.js';

export interface FleetEncoderOptions {
  /** `redis://HOST:PORT` */
  queue: string;
  /** A folder that all workers see. */
  store: string;
  model: EncoderModel;
  use: 'query' | 'document';
  precision: UsedPrecision;
  /** Told what is worth knowing, e.g. that no worker is there. */
  log?: (line: string) => void;
}

const [ATTEMPTS, FIRST_PAUSE_MS, POLL_MS, LONELY_MS] = [3, 1000, 100, 5000];
/** How often a shard is asked for again that the queue has lost. */
const MOST_TIMES_LOST = 5;
const HASH_DIGITS = 16;

/**
 * Encodes shards on whatever workers listen to a queue. A shard's name says everything its rows depend on: what was encoded
 * before a kill of anybody is found again, and a shard that is delivered twice is the same twice.
 */
export class FleetEncoder {
  readonly #parts: QueueParts;
  readonly #queue: Queue;
  readonly #store: FleetStore;
  readonly #settings: Omit<EncodeJob, 'id' | 'texts'>;
  readonly #log: (line: string) => void;
  readonly #done: EncodeJob[] = [];
  /** Shards that were in the queue before: tries that failed under whoever asked for them do not count. */
  readonly #adopted = new Set<string>();
  #lonelySince: number | undefined;

  private constructor(
    parts: QueueParts,
    store: FleetStore,
    settings: Omit<EncodeJob, 'id' | 'texts'>,
    log: (line: string) => void,
  ) {
    this.#parts = parts;
    this.#queue = new parts.bullmq.Queue(ENCODE_QUEUE, { connection: parts.redis });
    this.#queue.on('error', () => {});
    this.#store = store;
    this.#settings = settings;
    this.#log = log;
  }

  static async open({
    queue,
    model,
    use,
    precision,
    log = () => {},
    ...options
  }: FleetEncoderOptions): Promise<FleetEncoder> {
    const parts = await connectQueue(queue);
    try {
      const store = new FleetStore(options.store);
      const weights = weightsFingerprint(model.parameters);
      const tokenizer = model.tokenizer.fingerprint;
      const { maxLength, prompts, lowercase, spec } = model;
      const name = hashOf({ weights, tokenizer, maxLength, prompts, lowercase, spec }).slice(0, HASH_DIGITS);
      await store.addModel(name, model);
      const dimension = embeddingSize(spec);
      return new FleetEncoder(
        parts,
        store,
        { model: name, weights, tokenizer, dimension, use, precision },
        log,
      );
    } catch (error) {
      parts.redis.disconnect();
      throw error;
    }
  }

  /** Asks for a shard; {@link FleetEncoder.rows} waits for it. */
  async ask(texts: readonly string[]): Promise<EncodeJob> {
    const job = { ...this.#settings, texts: texts.length, id: shardId(this.#settings, texts) };
    if (await this.#store.rows(job)) return job;
    await this.#store.addTexts(job, texts);
    const before = await this.#queue.getJob(job.id);
    // One that failed the last time would stand in the way of its successor.
    if (before && (await before.isFailed())) await before.remove();
    else if (before) this.#adopted.add(job.id);
    await this.#queue.add('encode', job, {
      jobId: job.id,
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: FIRST_PAUSE_MS },
      removeOnComplete: true,
    });
    return job;
  }

  /** The rows of a shard that was asked for. */
  async rows(job: EncodeJob, texts: readonly string[]): Promise<EncodedTexts> {
    for (let lost = 0; lost <= MOST_TIMES_LOST; lost++) {
      const rows = await this.#waitFor(job);
      if (rows) {
        this.#done.push(job);
        return rows;
      }
      await this.ask(texts);
    }
    throw new NearmissError(`the queue lost a shard of ${job.texts} texts ${MOST_TIMES_LOST} times`, {
      hint: 'let Redis keep what it is told: appendonly yes, maxmemory-policy noeviction',
    });
  }

  /** Removes from the store what was given back, once whoever asked has it safe. */
  async forget(): Promise<void> {
    for (const job of this.#done) await this.#store.remove(job);
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#parts.redis.disconnect();
  }

  /** Undefined where the queue knows nothing of the shard and nobody has encoded it. */
  async #waitFor(job: EncodeJob): Promise<EncodedTexts | undefined> {
    for (;;) {
      const rows = await this.#store.rows(job);
      if (rows) return rows;
      const queued = await this.#queue.getJob(job.id);
      // Done and taken off between the two questions, or lost.
      if (!queued) return this.#store.rows(job);
      if (await queued.isFailed()) {
        if (this.#adopted.delete(job.id)) return undefined;
        throw new NearmissError(
          `a worker cannot encode a shard of ${job.texts} texts: ${queued.failedReason}`,
          {
            hint: `it was tried ${ATTEMPTS} times; the same command goes on with what is done`,
          },
        );
      }
      await this.#tellIfLonely();
      await sleep(POLL_MS);
    }
  }

  async #tellIfLonely(): Promise<void> {
    if (this.#lonelySince === Number.POSITIVE_INFINITY) return;
    this.#lonelySince ??= Date.now();
    if (Date.now() - this.#lonelySince < LONELY_MS) return;
    if ((await this.#queue.getWorkersCount()) > 0) this.#lonelySince = undefined;
    else {
      this.#log(
        `no worker listens to the queue: nearmiss fleet worker --queue … --store ${this.#store.path}`,
      );
      this.#lonelySince = Number.POSITIVE_INFINITY;
    }
  }
}
