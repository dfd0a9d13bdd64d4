import { batchCount, type TokenBatch, tokensAt } from '../../text/token-batch.js';
import { oneRowEach } from './encoded-texts.js';

/** One text's tokens; `types` are the segments of a pair and absent where all are 0. */
export interface TokenizedText {
  ids: ArrayLike<number>;
  types?: ArrayLike<number>;
  /** How many tokens, the first ones, may be looked at by others; all where absent. */
  attended?: number;
}

/** Texts as tokens, each whole or in pieces (MaxP). */
export interface TokenizedTexts {
  /** The pieces of all texts, one after another. */
  texts: readonly TokenizedText[];
  /** The pieces of text `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets: ArrayLike<number>;
}

/** A collection as tokens, its texts numbered from 0. */
export interface NumberedTexts {
  readonly count: number;
  texts(members: ArrayLike<number>): Promise<TokenizedTexts>;
}

/**
 * A batch of texts or, with the offsets that `splitTokens` made, of pieces.
 *
 * @example
 * const { tokenizer } = await loadEncoderModel('minilm');
 * const tokenized = tokenizedTexts(await tokenizer.encodeBatch(['near miss', 'close call']));
 */
export function tokenizedTexts(
  batch: TokenBatch,
  offsets: ArrayLike<number> = oneRowEach(batchCount(batch)),
): TokenizedTexts {
  const texts = Array.from({ length: batchCount(batch) }, (_, piece) => ({ ids: tokensAt(batch, piece) }));
  return { texts, offsets };
}
