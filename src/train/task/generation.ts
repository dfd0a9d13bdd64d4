import { NearmissError } from '../../base/errors.js';
import type { OptionsOf } from '../../base/registry.js';
import { Random } from '../../engine/index.js';
import type { BatchOrder, ExampleSource, ExampleText } from '../../examples/index.js';
import { batchByTokens } from '../../model/encoder/packed-batch.js';
import type { Seq2SeqPair } from '../../model/seq2seq/training-graph.js';
import type { generateTask } from '../../recipe/tasks/generate-task.js';
import type { Writer } from '../model/trained-model.js';
import { type WritingBatch, writingBatch } from '../step/seq2seq-step.js';
import type { Step } from '../step/step.js';
import { askedPiece } from './asked-piece.js';
import { tokensOf } from './example-texts.js';
import { openExamples, openOrder } from './open-examples.js';
import type { StageContext, Task } from './task.js';

type GenerateOptions = OptionsOf<(typeof generateTask)['options']>;

/** Learns to write the queries that documents answer. */
class GenerationTask implements Task<WritingBatch> {
  readonly step: Step<WritingBatch>;
  readonly state = {};
  readonly #context: StageContext;
  readonly #options: GenerateOptions;
  readonly #parts: GenerationParts;

  constructor(context: StageContext, options: GenerateOptions, parts: GenerationParts) {
    this.#context = context;
    this.#options = options;
    this.#parts = parts;
    this.step = parts.step;
  }

  async batches(step: number): Promise<WritingBatch[]> {
    const { stage, recipe } = this.#context;
    const { examples, order } = this.#parts;
    const batches: WritingBatch[] = [];
    for (let part = 0; part < stage.batch.accumulate; part++) {
      const drawn = await Promise.all(
        order
          .members(step - stage.start, part)
          .map((member) => examples.at(member, Random.from(recipe.seed, 'pairs', step, member))),
      );
      batches.push(...this.#parted(await this.#pairs(drawn)));
    }
    return batches;
  }

  async close(): Promise<void> {
    await this.step.release();
  }

  async #pairs(drawn: readonly { query: ExampleText; positive: ExampleText }[]): Promise<Seq2SeqPair[]> {
    const { data } = this.#context;
    const queries = await tokensOf(
      data.queries,
      drawn.map(({ query }) => query),
    );
    const documents = await tokensOf(
      data.documents,
      drawn.map(({ positive }) => positive),
    );
    const { writer } = this.#parts;
    return queries.texts.map(({ ids }, i) => {
      const pieces = documents.texts.slice(documents.offsets[i], documents.offsets[i + 1]);
      return { source: askedPiece(pieces, ids).ids, target: writer.target(ids) };
    });
  }

  /** Pairs of similar length are computed together: little padding, and memory that is bounded. */
  #parted(pairs: readonly Seq2SeqPair[]): WritingBatch[] {
    const lengths = pairs.map(({ source }) => source.length);
    const parts = batchByTokens(lengths, { tokenBudget: this.#options.tokens });
    return parts.map((members) => writingBatch(members.map((member) => pairs[member])));
  }
}

interface GenerationParts {
  step: Step<WritingBatch>;
  writer: Writer;
  examples: ExampleSource;
  order: BatchOrder;
}

/** Opens what a stage needs to learn to write queries. */
export async function openGeneration(options: GenerateOptions, context: StageContext): Promise<Task> {
  const { writer } = context.model;
  if (!writer) {
    throw new NearmissError(`stage ${context.stage.name}: its model does not write texts`, {
      hint: 'set model.kind=seq2seq',
    });
  }
  const { learns, session } = context;
  const examples = await openExamples(context);
  const order = await openOrder(context, examples.count);
  const step = await writer.step({ learns, session, smoothing: options.smoothing });
  return new GenerationTask(context, options, { step, writer, examples, order });
}
