import { basename } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { NearmissError } from '../../base/errors.js';
import { ApiError } from '../api-error.js';
import type { ServeMetrics } from '../metrics.js';
import type { TrainingDesk } from '../trainings/training-desk.js';
import type { CollectionAbout } from './collection-about.js';
import type { ModelChoice } from './model-choice.js';
import { Preparations } from './preparations.js';
import { RunCatalog } from './run-catalog.js';
import { type ReloadResult, ServedIndex, type ServedIndexOptions } from './served-index.js';

/** One of the things that a server serves. */
export interface CollectionOptions extends ServedIndexOptions {
  /** What to call it among others. */
  name?: string;
  runs?: RunCatalog;
  /** What a page tells about it. */
  about?: CollectionAbout;
  /** Told of what is being made; stopped with the server. */
  preparations?: Preparations;
  /** Whether the first version lacks what `open` would make: then it is made while the first one answers. */
  isIncomplete?: () => boolean;
  /** Starts trainings on it; without one none can be started. */
  trainings?: TrainingDesk;
  /** Which model it is searched with, where that can be chosen. */
  model?: ModelChoice;
}

/** What a page and a program find under one path: an index and all that goes with it. */
export class ServedCollection {
  readonly name: string;
  /** What its routes begin with; empty for the first. */
  readonly path: string;
  readonly index: ServedIndex;
  readonly runs: RunCatalog;
  readonly preparations: Preparations;
  readonly about: CollectionAbout;
  readonly trainings: TrainingDesk | undefined;
  readonly model: ModelChoice | undefined;
  readonly readOnly: boolean;
  readonly #metrics: ServeMetrics;
  readonly #log: FastifyBaseLogger;
  #isClosing = false;
  #isCompleting = false;

  constructor(
    options: CollectionOptions,
    parts: { path: string; openWaitMs: number; metrics: ServeMetrics; log: FastifyBaseLogger },
  ) {
    this.name = options.name ?? '';
    this.path = parts.path;
    const { isIncomplete = () => false } = options;
    this.preparations = options.preparations ?? new Preparations();
    this.index = new ServedIndex({
      openWaitMs: parts.openWaitMs,
      onOpen: () => void this.#goOn(isIncomplete()),
      ...options,
    });
    this.runs = options.runs ?? new RunCatalog();
    this.about = options.about ?? {};
    this.trainings = options.trainings;
    this.model = options.model;
    this.readOnly = options.openLive === undefined;
    this.#metrics = parts.metrics;
    this.#log = parts.log;
    parts.metrics.observeIndex(this.name, this.index);
  }

  /** Makes what the first version lacks, and what an earlier server did not get to make. */
  async #goOn(isIncomplete: boolean): Promise<void> {
    if (isIncomplete) await this.#complete();
    const { unfinished: run, coming } = this.model ?? {};
    if (run === undefined || coming !== undefined || this.#isClosing) return;
    this.#log.info(`going on with the vectors of ${basename(run)}, which was chosen to search`);
    this.#use(run);
  }

  async #complete(): Promise<void> {
    this.#log.info('answering by words while vectors are made; they take over by themselves');
    this.#isCompleting = true;
    await this.reload().catch((error: Error) => {
      this.preparations.failure = error.message;
    });
    this.#isCompleting = false;
  }

  /** Whether what the first version lacks is being made. */
  get isCompleting(): boolean {
    return this.#isCompleting;
  }

  /**
   * Begins to search with the model of a run, with the one as published where none is named: it is opened, and makes its
   * vectors, while the present one goes on answering.
   */
  useModel(run: string | undefined): void {
    const { model } = this;
    if (model === undefined) {
      throw new ApiError(409, 'unavailable', 'the model cannot be chosen here', {
        hint: 'whoever runs the server named what is served, a run, an index or a model, or started it for reading or for words alone',
      });
    }
    if (this.#isCompleting || model.coming !== undefined) {
      throw new ApiError(409, 'unavailable', 'vectors are being made', {
        hint: 'choose again when they are there: GET /v1/status says how far they are',
      });
    }
    this.#use(run);
  }

  #use(run: string | undefined): void {
    this.preparations.failure = undefined;
    void this.model
      ?.change(run, () => this.reload(), { end: this.preparations.signal })
      .catch((error: Error) => {
        this.preparations.failure = error.message;
      });
  }

  /** Looks for a newer index and lets it take over; where that fails, the present one goes on answering. */
  async reload(): Promise<ReloadResult> {
    try {
      const result = await this.index.reload();
      this.#metrics.countReload(result.changed ? 'changed' : 'unchanged');
      this.#log.info(result, 'reloaded');
      return result;
    } catch (error) {
      if (this.#isClosing) throw error;
      this.#metrics.countReload('failed');
      const message = `the newer index could not be opened, ${this.index.version} goes on answering: ${(error as Error).message}`;
      this.#log.error({ err: error }, message);
      throw new ApiError(500, 'reload_failed', message, { hint: (error as NearmissError).hint });
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.preparations.stop();
    await this.trainings?.close();
    await this.index.close();
  }
}
