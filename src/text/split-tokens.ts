import { describe, NearmissError } from '../base/errors.js';
import { batchCount, type TokenBatch, TokenBatchBuilder } from './token-batch.js';

export interface SplitTokensOptions {
  /** Pieces made of one text at most; what follows them is dropped. */
  maxPieces: number;
  /** Tokens of a piece at most, its first and last special token included. */
  pieceLength: number;
}

/** The pieces of many texts: those of text `i` are pieces `pieceOffsets[i] … pieceOffsets[i + 1] - 1`. */
export interface PieceBatch extends TokenBatch {
  readonly pieceOffsets: Uint32Array;
}

/**
 * Splits long texts for MaxP (a text scores as its best piece does). Every piece starts with the text's first token
 * (`[CLS]`) and ends with its last (`[SEP]`), as the encoder has been trained to see texts; there are no empty
 * pieces, but a text without content is one piece.
 *
 * @example
 * const options = { maxPieces: 4, pieceLength: 512 };
 * const batch = await tokenizer.encodeBatch(texts, { maxLength: lengthOfPieces(options) });
 * const pieces = splitTokens(batch, options);
 */
export function splitTokens(batch: TokenBatch, options: SplitTokensOptions): PieceBatch {
  const { maxPieces } = options;
  const room = contentRoom(options);
  const builder = new TokenBatchBuilder();
  const pieceOffsets = new Uint32Array(batch.offsets.length);
  let pieces = 0;
  for (let text = 0; text < batchCount(batch); text++) {
    const first = batch.offsets[text];
    const last = batch.offsets[text + 1] - 1;
    if (last <= first) throw missingSpecials(text, last - first + 1);
    let start = first + 1;
    for (let piece = 0; piece < maxPieces && (piece === 0 || start < last); piece++) {
      const end = Math.min(start + room, last);
      builder.add(batch.ids, first, first + 1);
      builder.add(batch.ids, start, end);
      builder.add(batch.ids, last, last + 1);
      builder.endText();
      pieces++;
      start = end;
    }
    pieceOffsets[text + 1] = pieces;
  }
  return { ...builder.build(), pieceOffsets };
}

/** How many tokens of a text fill all pieces: the length to cut it to before. */
export function lengthOfPieces(options: SplitTokensOptions): number {
  return options.maxPieces * contentRoom(options) + 2;
}

function contentRoom({ maxPieces, pieceLength }: SplitTokensOptions): number {
  if (!Number.isInteger(maxPieces) || maxPieces < 1) {
    throw new NearmissError(`maxPieces: expected a whole number of at least 1, got ${describe(maxPieces)}`);
  }
  if (!Number.isInteger(pieceLength) || pieceLength < 3) {
    throw new NearmissError(
      `pieceLength: expected a whole number of at least 3 (two special tokens and one of the text), got ${describe(pieceLength)}`,
    );
  }
  return pieceLength - 2;
}

function missingSpecials(text: number, length: number): NearmissError {
  return new NearmissError(`text ${text}: expected a first and a last special token, got ${length} tokens`, {
    hint: 'MaxP needs a tokenizer with special tokens around each text, like [CLS] and [SEP]',
  });
}
