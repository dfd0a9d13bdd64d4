import type { OptionsOf } from '../../base/registry.js';
import type { ParameterStore } from '../../engine/index.js';
import type { ExampleSource } from '../../examples/index.js';
import type { mocoTask } from '../../recipe/tasks/moco-task.js';
import type { LiveEncoder } from '../step/live-encoder.js';
import type { Step } from '../step/step.js';
import type { RetrievalBatch } from './batch.js';
import { BatchMaker, type MadeBatch } from './batch-maker.js';
import { KeyQueue } from './key-queue.js';
import { openExamples, openOrder } from './open-examples.js';
import { stageLoss } from './retrieval.js';
import type { StageContext, Task } from './task.js';

type MocoOptions = OptionsOf<(typeof mocoTask)['options']>;

/**
 * Momentum contrast (He et al. 2020, as Contriever has it, Izacard et al. 2021): documents are encoded by a moving average of
 * the encoder, θₖ ← m·θₖ + (1 − m)·θ after each step, get no gradient, and wait in a queue to be negatives of later steps.
 * The queue begins empty. Losses over the batch count its other documents as negatives, too; `nll` the queue alone.
 */
class MocoTask implements Task<RetrievalBatch> {
  readonly step: Step<RetrievalBatch>;
  readonly state: Readonly<Record<string, ParameterStore>>;
  readonly #context: StageContext;
  readonly #options: MocoOptions;
  readonly #parts: MocoParts;
  readonly #queue: KeyQueue;
  /** Batches whose documents go to the queue when the weights have been updated. */
  #waiting: { batch: MadeBatch; keys: Float32Array }[] = [];

  constructor(context: StageContext, options: MocoOptions, parts: MocoParts) {
    this.#context = context;
    this.#options = options;
    this.#parts = parts;
    this.step = parts.step;
    this.#queue = new KeyQueue(options.queue, context.model.vectorSize!);
    this.state = { momentum: parts.average, queue: this.#queue.store };
  }

  get figures(): Readonly<Record<string, number>> {
    return { queue: this.#queue.length };
  }

  async batches(step: number): Promise<RetrievalBatch[]> {
    const { maker, encoder } = this.#parts;
    const made = (await maker.at(step, async () => []))!;
    this.#waiting = [];
    for (const [part, batch] of made.entries()) {
      const keys = await encoder.encode(batch.documents, { seed: this.#context.recipe.seed, step, part });
      this.#waiting.push({ batch, keys });
    }
    return this.#waiting.map(({ batch, keys }) => this.#withQueue(batch, keys));
  }

  async after(): Promise<void> {
    const { average } = this.#parts;
    const { momentum } = this.#options;
    const now = this.#context.model.parameters.buffer;
    for (let i = 0; i < now.length; i++)
      average.buffer[i] = momentum * average.buffer[i] + (1 - momentum) * now[i];
    const size = this.#context.model.vectorSize!;
    for (const { batch, keys } of this.#waiting) {
      const pushed = new Set<number>();
      batch.positives.forEach((place, query) => {
        if (pushed.has(place)) return;
        pushed.add(place);
        const vector = keys.subarray(place * size, (place + 1) * size);
        this.#queue.push({ vector, example: batch.members[query], document: batch.documentNumbers[place] });
      });
    }
    this.#waiting = [];
  }

  async close(): Promise<void> {
    const { encoder, examples } = this.#parts;
    await this.step.release();
    await encoder.release();
    await examples.close?.();
  }

  /** The batch with its documents as keys, and the queue behind them. */
  #withQueue(batch: MadeBatch, keys: Float32Array): RetrievalBatch {
    const { vectors, length } = this.#queue;
    const own = batch.documents.length;
    const all = new Float32Array(keys.length + vectors.length);
    all.set(keys);
    all.set(vectors, keys.length);
    const offsets = Uint32Array.from({ length: own + length + 1 }, (_, i) => i);
    const queued = Array.from({ length }, (_, place) => own + place);
    return {
      ...batch,
      documents: [],
      rows: { documents: { vectors: all, offsets } },
      negatives: batch.negatives.map((negatives) => [...negatives, ...queued]),
      masked: batch.members.map((member) => {
        const relevant = new Set(this.#parts.examples.relevant(member));
        return this.#queue.answers(member, relevant).map((place) => own + place);
      }),
    };
  }
}

interface MocoParts {
  examples: ExampleSource;
  maker: BatchMaker;
  step: Step<RetrievalBatch>;
  /** The moving average of the weights, and what encodes with it. */
  average: ParameterStore;
  encoder: LiveEncoder;
}

/** Opens what a stage needs for momentum contrast. */
export async function openMoco(options: MocoOptions, context: StageContext): Promise<Task> {
  const { recipe, stage, data, model, session, learns } = context;
  const { accumulate, documentTokens } = stage.batch;
  const examples = await openExamples(context);
  const maker = new BatchMaker({
    data,
    examples,
    order: await openOrder(context, examples.count),
    seed: recipe.seed,
    start: stage.start,
    accumulate,
    pieces: false,
    ...(documentTokens !== undefined && { documentTokens }),
  });
  const average = model.parameters.zerosLike();
  average.copyFrom(model.parameters);
  const encoder = await model.liveEncoder('documents', session, { parameters: average, dropout: true });
  const losses = stage.losses.map(stageLoss);
  const step = await model.step({ recipe, stage, losses, learns, frozen: ['documents'], session });
  return new MocoTask(context, options, { examples, maker, step, average, encoder });
}
