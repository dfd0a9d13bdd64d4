import { NearmissError } from '../../base/errors.js';
import type { OptionsOf } from '../../base/registry.js';
import { Random } from '../../engine/index.js';
import type { BatchOrder } from '../../examples/index.js';
import { prepareText } from '../../model/index.js';
import { type MaskedText, maskWords } from '../../model/mlm/mask-words.js';
import type { mlmTask } from '../../recipe/tasks/mlm-task.js';
import { textLengths } from '../../recipe/text-lengths.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { type MaskedBatch, type MaskedGuesser, maskedBatch } from '../step/masked-step.js';
import type { Step } from '../step/step.js';
import { LearnedPart } from './learned-part.js';
import { openOrder } from './open-examples.js';
import type { StageContext, Task } from './task.js';
import { openTextPieces, type TextPieces } from './text-pieces.js';

type MlmOptions = OptionsOf<(typeof mlmTask)['options']>;

/** Learns to guess hidden words; what is hidden is drawn anew each time. */
class MlmTask implements Task<MaskedBatch> {
  readonly step: Step<MaskedBatch>;
  readonly part: LearnedPart;
  readonly #context: StageContext;
  readonly #parts: MlmParts;
  #figures: Record<string, number> | undefined;

  constructor(context: StageContext, parts: MlmParts) {
    this.#context = context;
    this.#parts = parts;
    this.step = parts.step;
    this.part = parts.part;
  }

  get state(): LearnedPart['state'] {
    return this.part.state;
  }

  /** Of steps after which it was measured alone. */
  get figures(): Readonly<Record<string, number>> | undefined {
    return this.#figures;
  }

  /** Goes into the model's folder beside the encoder. */
  get mlmHead(): LearnedPart['parameters'] {
    return this.part.parameters;
  }

  async batches(step: number): Promise<MaskedBatch[]> {
    const { stage, recipe } = this.#context;
    const { pieces, order, masker } = this.#parts;
    const batches: MaskedBatch[] = [];
    for (let part = 0; part < stage.batch.accumulate; part++) {
      const members = order.members(step - stage.start, part);
      const texts = await masker.mask(
        members.map((member) => pieces.at(member)),
        (nth) => Random.from(recipe.seed, 'hidden words', step, members[nth]),
      );
      if (texts.length > 0) batches.push(maskedBatch(texts));
    }
    if (batches.length > 0) return batches;
    throw new NearmissError(`step ${step}: no text of the batch has a word to hide`, {
      hint: 'raise batch.queries, or leave empty documents out of the collection',
    });
  }

  /** Measured where checkpoints are written. */
  async after(step: number): Promise<void> {
    const { stage, recipe } = this.#context;
    const { guesser, heldOut } = this.#parts;
    const taken = step + 1 - stage.start;
    const isDue = taken % recipe.checkpoint.every === 0 || step + 1 === stage.end;
    this.#figures =
      isDue && heldOut.length > 0 ? { maskedAccuracy: await guesser.accuracy(heldOut) } : undefined;
  }

  async close(): Promise<void> {
    const { pieces, guesser } = this.#parts;
    await this.step.release();
    await guesser.release();
    await pieces.close();
  }
}

interface MlmParts {
  pieces: TextPieces;
  order: BatchOrder;
  masker: Masker;
  part: LearnedPart;
  step: Step<MaskedBatch>;
  guesser: MaskedGuesser;
  /** Always the same words hidden, so that figures compare. */
  heldOut: readonly MaskedText[];
}

/** Turns texts into tokens some of which are hidden. */
class Masker {
  readonly #tokenizer: Tokenizer;
  readonly #prepare: (text: string) => string;
  readonly #options: Pick<MlmOptions, 'share' | 'wholeWords'> & { maxLength: number };
  readonly #maskId: number;
  readonly #others: Int32Array;

  constructor(
    { model }: StageContext,
    options: Pick<MlmOptions, 'share' | 'wholeWords'> & { maxLength: number },
  ) {
    const { reader } = model;
    const { tokenizer } = reader;
    const { mask, ...special } = tokenizer.specialTokens;
    if (!mask) {
      throw new NearmissError('mlm: the tokenizer has no token that hides others', {
        hint: 'start from a model whose tokenizer has [MASK] or <mask>, or from scratch',
      });
    }
    this.#tokenizer = tokenizer;
    this.#prepare = (text) => prepareText(reader, text, 'document');
    this.#options = options;
    this.#maskId = mask.id;
    const taken = new Set([mask, ...Object.values(special)].map(({ id }) => id));
    this.#others = Int32Array.from(
      Array.from({ length: tokenizer.vocabularySize }, (_, id) => id).filter((id) => !taken.has(id)),
    );
  }

  /** Those of the texts that have words. */
  async mask(texts: readonly string[], randomOf: (nth: number) => Random): Promise<MaskedText[]> {
    const { maxLength, share, wholeWords } = this.#options;
    const read = await this.#tokenizer.encodeWords(texts.map(this.#prepare), { maxLength });
    const options = { share, wholeWords, maskId: this.#maskId, others: this.#others };
    return read.flatMap((tokens, nth) => maskWords(tokens, { ...options, random: randomOf(nth) }) ?? []);
  }
}

/** Opens what a stage needs to learn to guess hidden words. */
export async function openMlm(options: MlmOptions, context: StageContext): Promise<Task> {
  const { recipe, stage, data, model, learns, session } = context;
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
  const pieces = await openTextPieces(data.dataset, { tokens: maxLength, heldOut: options.heldOut, seed });
  const part = new LearnedPart('mlm-head', await model.guesser.head(recipe.model.init), stage);
  const head = part.parameters;
  return new MlmTask(context, {
    pieces,
    order: await openOrder(context, pieces.count),
    masker,
    part,
    step: await model.guesser.step({ head, learns, session }),
    guesser: await model.guesser.open({ head, session }),
    heldOut: await masker.mask(pieces.heldOut, (nth) => Random.from(seed, 'held-out words', nth)),
  });
}
