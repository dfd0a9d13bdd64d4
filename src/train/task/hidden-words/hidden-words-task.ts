import { NearmissError } from '../../../base/errors.js';
import { type ParameterStore, Random } from '../../../engine/index.js';
import type { BatchOrder } from '../../../examples/index.js';
import type { MaskedText } from '../../../model/mlm/mask-words.js';
import { textLengths } from '../../../recipe/text-lengths.js';
import type { Guesser } from '../../model/trained-model.js';
import type { MaskedGuesser } from '../../step/masked-step.js';
import type { Step } from '../../step/step.js';
import type { Batch } from '../batch.js';
import type { LearnedPart } from '../learned-part.js';
import { openOrder } from '../open-examples.js';
import type { StageContext, Task } from '../task.js';
import { Masker, type MaskerOptions } from './masker.js';
import { openTextPieces, type TextPieces } from './text-pieces.js';

/** What tells tasks apart that learn from hidden words. */
export interface HiddenWordsParts<B extends Batch> {
  /** What learns beside the encoder. */
  part: LearnedPart;
  /** The part of it that guesses words, which goes into the model's folder. */
  head: ParameterStore;
  step: Step<B>;
  /** The batches of a step, given the texts of each of its parts. */
  batches(parts: readonly (readonly MaskedText[])[]): B[];
}

/** Learns from texts some of whose words are hidden, drawn anew each time. */
class HiddenWordsTask<B extends Batch> implements Task<B> {
  readonly step: Step<B>;
  readonly part: LearnedPart;
  readonly mlmHead: ParameterStore;
  readonly #context: StageContext;
  readonly #parts: HiddenWordsParts<B>;
  readonly #source: HiddenWordsSource;
  #figures: Record<string, number> | undefined;

  constructor(context: StageContext, parts: HiddenWordsParts<B>, source: HiddenWordsSource) {
    this.#context = context;
    this.#parts = parts;
    this.#source = source;
    this.step = parts.step;
    this.part = parts.part;
    this.mlmHead = parts.head;
  }

  get state(): LearnedPart['state'] {
    return this.part.state;
  }

  /** Of steps after which it was measured alone. */
  get figures(): Readonly<Record<string, number>> | undefined {
    return this.#figures;
  }

  async batches(step: number): Promise<B[]> {
    const { stage, recipe } = this.#context;
    const { pieces, order, masker } = this.#source;
    const parts: MaskedText[][] = [];
    for (let part = 0; part < stage.batch.accumulate; part++) {
      const members = order.members(step - stage.start, part);
      const texts = await masker.mask(
        members.map((member) => pieces.at(member)),
        (nth) => Random.from(recipe.seed, 'hidden words', step, members[nth]),
      );
      if (texts.length > 0) parts.push(texts);
    }
    if (parts.length > 0) return this.#parts.batches(parts);
    throw new NearmissError(`step ${step}: no text of the batch has a word to hide`, {
      hint: 'raise batch.queries, or leave empty documents out of the collection',
    });
  }

  /** Measured where checkpoints are written. */
  async after(step: number): Promise<void> {
    const { stage, recipe } = this.#context;
    const { guesser, heldOut } = this.#source;
    const taken = step + 1 - stage.start;
    const isDue = taken % recipe.checkpoint.every === 0 || step + 1 === stage.end;
    this.#figures =
      isDue && heldOut.length > 0 ? { maskedAccuracy: await guesser.accuracy(heldOut) } : undefined;
  }

  async close(): Promise<void> {
    const { pieces, guesser } = this.#source;
    await this.step.release();
    await guesser.release();
    await pieces.close();
  }
}

/** Where the texts come from, and who is measured on those held out. */
interface HiddenWordsSource {
  pieces: TextPieces;
  order: BatchOrder;
  masker: Masker;
  guesser: MaskedGuesser;
  /** Always the same words hidden, so that figures compare. */
  heldOut: readonly MaskedText[];
}

export interface HiddenWordsOptions extends Omit<MaskerOptions, 'maxLength'> {
  /** The share of the documents that is not learned from. */
  heldOut: number;
}

/** Opens a task that learns from hidden words of a collection's documents. */
export async function openHiddenWords<B extends Batch>(
  options: HiddenWordsOptions,
  context: StageContext,
  openParts: (guesser: Guesser) => Promise<HiddenWordsParts<B>>,
): Promise<Task<B>> {
  const { recipe, stage, data, model, session } = context;
  if (!model.guesser) {
    throw new NearmissError(`stage ${stage.name}: its model guesses no hidden words`, {
      hint: 'set model.kind=dual and model.towers=shared',
    });
  }
  const maxLength = Math.min(
    textLengths(recipe.model).document,
    stage.batch.documentTokens ?? Number.POSITIVE_INFINITY,
  );
  const masker = new Masker(context, { ...options, maxLength });
  const { seed } = recipe;
  const pieces = await openTextPieces(data.dataset, {
    tokens: maxLength,
    heldOut: options.heldOut,
    seed,
    task: stage.task.name,
  });
  const parts = await openParts(model.guesser);
  return new HiddenWordsTask(context, parts, {
    pieces,
    order: await openOrder(context, pieces.count),
    masker,
    guesser: await model.guesser.open({ head: parts.head, session }),
    heldOut: await masker.mask(pieces.heldOut, (nth) => Random.from(seed, 'held-out words', nth)),
  });
}
