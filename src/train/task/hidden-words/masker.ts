import { NearmissError } from '../../../base/errors.js';
import type { Random } from '../../../engine/index.js';
import { prepareText } from '../../../model/index.js';
import { type MaskedText, type MaskWordsOptions, maskWords } from '../../../model/mlm/mask-words.js';
import type { Tokenizer } from '../../../text/tokenizer.js';
import type { StageContext } from '../task.js';

export interface MaskerOptions extends Pick<MaskWordsOptions, 'share' | 'wholeWords'> {
  /** Tokens of a text, with the special ones. */
  maxLength: number;
}

/** Turns texts into tokens some of which are hidden. */
export class Masker {
  readonly #tokenizer: Tokenizer;
  readonly #prepare: (text: string) => string;
  readonly #options: MaskerOptions;
  readonly #maskId: number;
  readonly #others: Int32Array;

  constructor({ model, stage }: StageContext, options: MaskerOptions) {
    const { reader } = model;
    const { tokenizer } = reader;
    const { mask, ...special } = tokenizer.specialTokens;
    if (!mask) {
      throw new NearmissError(`${stage.task.name}: the tokenizer has no token that hides others`, {
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
