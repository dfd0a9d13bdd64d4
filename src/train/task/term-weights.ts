import { NearmissError } from '../../base/errors.js';
import type { OptionsOf } from '../../base/registry.js';
import { Random } from '../../engine/index.js';
import type { BatchOrder, Example, ExampleSource, ExampleText } from '../../examples/index.js';
import { batchByTokens } from '../../model/encoder/packed-batch.js';
import type { TokenizedText } from '../../model/index.js';
import type { termWeightsTask } from '../../recipe/tasks/term-weights-task.js';
import type { TokenizedCollection } from '../../run/training-data.js';
import { analyzerFor } from '../../text/analyzers/index.js';
import { PieceWords } from '../../text/piece-words.js';
import type { Step } from '../step/step.js';
import { type WeighedText, type WeighingBatch, weighingBatch } from '../step/term-step.js';
import { tokensOf } from './example-texts.js';
import { openExamples, openOrder } from './open-examples.js';
import type { StageContext, Task } from './task.js';
import { TermTargets } from './term-targets.js';

type TermWeightsOptions = OptionsOf<(typeof termWeightsTask)['options']>;

/** Documents of a query that are looked through for its words. */
const MOST_DOCUMENTS = 20;

/** Learns what words of a text it is asked for by. */
class TermWeightsTask implements Task<WeighingBatch> {
  readonly step: Step<WeighingBatch>;
  readonly state = {};
  readonly #context: StageContext;
  readonly #options: TermWeightsOptions;
  readonly #parts: TermWeightsParts;
  /** The training queries that a document answers. */
  readonly #queriesOf = new Map<number, number[]>();

  constructor(context: StageContext, options: TermWeightsOptions, parts: TermWeightsParts) {
    this.#context = context;
    this.#options = options;
    this.#parts = parts;
    this.step = parts.step;
    for (const { query, positives } of context.data.training) {
      for (const document of positives) {
        this.#queriesOf.set(document, [...(this.#queriesOf.get(document) ?? []), query]);
      }
    }
  }

  async batches(step: number): Promise<WeighingBatch[]> {
    const { stage, recipe } = this.#context;
    const { examples, order } = this.#parts;
    const batches: WeighingBatch[] = [];
    for (let part = 0; part < stage.batch.accumulate; part++) {
      const weighed: WeighedText[] = [];
      for (const member of order.members(step - stage.start, part)) {
        const random = Random.from(recipe.seed, 'terms', step, member);
        const example = await examples.at(member, random);
        const text =
          this.#options.side === 'documents'
            ? await this.#document(example, random)
            : await this.#query(example, member);
        if (text) weighed.push(text);
      }
      batches.push(...this.#parted(weighed));
    }
    if (batches.length > 0) return batches;
    throw new NearmissError(
      `stage ${stage.name}: none of the examples of step ${step} has a word that its query and its document share`,
      { hint: 'raise batch.queries, or look at the data: nearmiss data stats' },
    );
  }

  async close(): Promise<void> {
    await this.step.release();
  }

  /** A passage of a document that has a word of its queries. */
  async #document({ query, positive }: Example, random: Random): Promise<WeighedText | undefined> {
    const { data } = this.#context;
    const { targets } = this.#parts;
    const known = typeof positive === 'number' ? this.#queriesOf.get(positive) : undefined;
    const queries = await readTexts(data.queries, known ?? [query]);
    const terms = queries.map((text) => targets.termsOf(text));
    const passages = (await readTexts(data.documents, [positive])).flatMap(
      (text) => targets.of(text, terms) ?? [],
    );
    return passages[passages.length > 1 ? random.integer(passages.length) : 0];
  }

  async #query({ query, positive }: Example, member: number): Promise<WeighedText | undefined> {
    const { data } = this.#context;
    const { targets, examples } = this.#parts;
    const relevant = Array.from(examples.relevant(member)).slice(0, MOST_DOCUMENTS);
    const { texts, offsets } = await tokensOf(data.documents, relevant.length > 0 ? relevant : [positive]);
    const terms = offsets.slice(1).map((end, document) => {
      const pieces = texts.slice(offsets[document], end);
      return new Set(pieces.flatMap((piece) => [...targets.termsOf(piece)]));
    });
    const [text] = await readTexts(data.queries, [query]);
    return targets.of(text, terms);
  }

  /** Texts of similar length are computed together: little padding, and memory that is bounded. */
  #parted(texts: readonly WeighedText[]): WeighingBatch[] {
    const lengths = texts.map(({ ids }) => ids.length);
    const parts = batchByTokens(lengths, { tokenBudget: this.#options.tokens });
    return parts.map((members) => weighingBatch(members.map((member) => texts[member])));
  }
}

async function readTexts(
  collection: TokenizedCollection,
  texts: readonly ExampleText[],
): Promise<TokenizedText[]> {
  return (await tokensOf(collection, texts)).texts;
}

interface TermWeightsParts {
  step: Step<WeighingBatch>;
  targets: TermTargets;
  examples: ExampleSource;
  order: BatchOrder;
}

/** Opens what a stage needs to learn to weigh words. */
export async function openTermWeights(options: TermWeightsOptions, context: StageContext): Promise<Task> {
  const { model, recipe, learns, session } = context;
  if (!model.weigher) {
    throw new NearmissError(`stage ${context.stage.name}: its model does not weigh words`, {
      hint: 'set model.kind=terms',
    });
  }
  const examples = await openExamples(context);
  const order = await openOrder(context, examples.count);
  const words = new PieceWords(model.reader.tokenizer);
  const targets = new TermTargets(words, analyzerFor(recipe.model.words.language));
  const step = await model.weigher.step({ learns, session });
  return new TermWeightsTask(context, options, { step, targets, examples, order });
}
