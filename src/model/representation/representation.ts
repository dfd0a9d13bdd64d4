import type { z } from 'zod';
import type { Kind, OptionsOf } from '../../base/registry.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';

/** How the states of a text's tokens become its row: a weighted sum of them. */
export interface Representation {
  /**
   * Writes the weights of a text's tokens.
   *
   * @param weights one for each of the text's tokens and for the padding behind them, all 0
   */
  weigh(text: TokenizedText, weights: Float32Array): void;
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
