import { Random } from '../../engine/index.js';
import type { EncoderModel } from '../encoder/encoder-model.js';
import { prepareText } from '../encoder/encoder-model.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import { tokenizedTexts } from '../encoder/tokenized-texts.js';

/** Texts that are looked at. */
const LOOKED_AT = 2000;

/** How rare tokens are in a collection: BM25's idf over a sample of its documents, as far as a model reads them. */
export class TokenRarity {
  readonly #texts: readonly TokenizedText[];
  /** Texts of the sample that have a token. */
  readonly #counts = new Map<number, number>();

  private constructor(texts: readonly TokenizedText[]) {
    this.#texts = texts;
    for (const { ids } of texts) {
      for (const id of new Set(Array.from(ids))) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    }
  }

  static async of(
    texts: AsyncIterable<{ text: string }>,
    model: Pick<EncoderModel, 'tokenizer' | 'prompts' | 'lowercase' | 'maxLength'>,
    { seed = 0 }: { seed?: number } = {},
  ): Promise<TokenRarity> {
    const random = Random.from(seed, 'rarity');
    const sample: string[] = [];
    let seen = 0;
    for await (const { text } of texts) {
      const place = sample.length < LOOKED_AT ? sample.length : random.integer(seen + 1);
      if (place < LOOKED_AT) sample[place] = prepareText(model, text, 'document');
      seen++;
    }
    const batch = await model.tokenizer.encodeBatch(sample, { maxLength: model.maxLength });
    return new TokenRarity(tokenizedTexts(batch).texts);
  }

  /** The sample that tokens were counted in. */
  get texts(): readonly TokenizedText[] {
    return this.#texts;
  }

  idf(token: number): number {
    const having = this.#counts.get(token) ?? 0;
    return Math.log(1 + (this.#texts.length - having + 0.5) / (having + 0.5));
  }
}
