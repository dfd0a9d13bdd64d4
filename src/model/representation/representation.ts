import type { z } from 'zod';
import type { Kind, OptionsOf } from '../../base/registry.js';
import type { TokenizedText } from '../encoder/packed-batch.js';

/**
 * How the states of a text's tokens become its rows: each row is a weighted sum of them. One row a text for pooled
 * vectors, the first m for ME-BERT, one a token for ColBERT.
 */
export interface Representation {
  /** How many rows a text has, at least 1. */
  rows(text: TokenizedText): number;
  /**
   * Writes the weights of a text's tokens in its rows.
   *
   * @param weights rows × length, all 0
   * @param length columns: the text's tokens and the padding behind them
   */
  weigh(text: TokenizedText, weights: Float32Array, length: number): void;
  /** Whether only the first token's state is ever used, so that the last layer needs to compute no other. */
  readonly firstTokenOnly?: boolean;
}

/** A value of the representation axis, `model.head.pooling` in recipes. */
export interface RepresentationKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  create(options: OptionsOf<Shape>): Representation;
}

/** Gives a kind's options their types. */
export function representationKind<Shape extends z.ZodRawShape>(
  kind: RepresentationKind<Shape>,
): RepresentationKind {
  return kind as unknown as RepresentationKind;
}
