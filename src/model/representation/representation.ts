import type { z } from 'zod';
import type { Kind, OptionsOf } from '../../base/registry.js';
import type { ParameterSpec, ParameterStore, Value } from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import type { EncoderConfig } from '../encoder/config.js';
import type { TokenizedText } from '../encoder/tokenized-texts.js';
import type { Side } from '../side.js';

/**
 * How the states of a text's tokens become its rows: one weighted sum of them, some of them as they are, or whatever is
 * built of them.
 */
export type Representation = (PooledRow | TokenRows | BuiltRows) & {
  /** Changes a text's tokens before the encoder sees them: markers, `[MASK]` tokens that it fills up with. */
  read?(text: TokenizedText): TokenizedText;
};

/** One row: a weighted sum of the tokens' states. */
export interface PooledRow {
  /**
   * Writes the weights of a text's tokens.
   *
   * @param weights one for each of the text's tokens and for the padding behind them, all 0
   */
  weigh(text: TokenizedText, weights: Float32Array): void;
  /** Whether only the first token's state is ever used, so that the last layer needs to compute no other. */
  readonly firstTokenOnly?: boolean;
}

/** A row for each of some tokens: their states. */
export interface TokenRows {
  /** The places of the tokens whose states are rows: ascending, at least one. */
  tokens(text: TokenizedText): ArrayLike<number>;
  /** Most rows that a text may have, where that is known. */
  readonly most?: number;
  /** Where a row is the token's number and a weight that the projection gives it, but to tokens that never weigh anything. */
  readonly terms?: { relu: boolean; weightless: readonly number[] };
}

/** A number of rows that is the same for every text, computed from all of its states. */
export interface BuiltRows {
  readonly count: number;
  /** Numbers in a row. Default: as many as in a state. */
  size?(config: EncoderConfig): number;
  /** Weights of its own, besides those of encoder and head; their names start with `head.`, or with that of the MLM head. */
  parameters?(config: EncoderConfig): ParameterSpec[];
  /** The rows of a group of texts, text by text: [texts * count, size]. */
  build(group: TextStates, parameter: (name: string) => Value): Value;
}

/** The states of texts that were padded to the same length, inside a graph. */
export interface TextStates {
  /** [texts, length, hidden] */
  states: Value;
  /** [texts, length]: the tokens themselves. */
  ids: Value;
  /** [texts, length]: 0 for tokens, a very low number for padding. */
  bias: Value;
  /** The named dimensions. */
  texts: string;
  length: string;
  config: EncoderConfig;
  /** Whether no gradient will be asked for. */
  inference?: boolean;
}

/** What is known of a model when its representation is chosen. */
export interface RepresentationContext {
  tokenizer: Tokenizer;
  /** Most tokens that the model's positions allow. */
  maxPositions: number;
}

/** A value of the representation axis, `model.head.pooling` in recipes. */
export interface RepresentationKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** Whether queries and documents are represented differently; a shared encoder then reads them one after the other. */
  readonly sided?: boolean;
  /** Whether its rows are terms of the tokenizer's vocabulary and their weights, for an inverted index. */
  readonly terms?: boolean;
  /** The size of the projection that it cannot do without. */
  readonly projection?: number;
  /** Sets what weights begin as that a model does not have yet, where they should not be small and random. */
  start?(parameters: ParameterStore, missing: ReadonlySet<string>): void;
  /** Changes the weights of a model whose vectors were means of its states, where this kind would begin with nothing otherwise. */
  startFromMean?(parameters: ParameterStore, layers: number): void;
  /** The scorer that compares its rows, unless a recipe says otherwise. Default: the best inner product. */
  readonly scorer?: string;
  create(options: OptionsOf<Shape>, side: Side): Representation;
  /**
   * Options as a model keeps them, made once of what a recipe says: names of tokens become their numbers. Default: as they
   * are.
   */
  resolve?(options: OptionsOf<Shape>, context: RepresentationContext): Record<string, unknown>;
}

/** Gives a kind's options their types. */
export function representationKind<Shape extends z.ZodRawShape>(
  kind: RepresentationKind<Shape>,
): RepresentationKind {
  return kind as unknown as RepresentationKind;
}

/** A text as its representation wants it to be encoded. */
export function readAs({ read }: Representation, text: TokenizedText): TokenizedText {
  return read ? read(text) : text;
}

/** How many rows a text has that was read by {@link readAs}. */
export function rowCount(representation: Representation, text: TokenizedText): number {
  if ('tokens' in representation) return representation.tokens(text).length;
  return 'count' in representation ? representation.count : 1;
}

/** Most rows that any text may have. */
export function mostRows(representation: Representation): number {
  if ('tokens' in representation) return representation.most ?? Number.POSITIVE_INFINITY;
  return 'count' in representation ? representation.count : 1;
}

/** The rows of text `i` of texts that were read are `offsets[i] … offsets[i + 1] - 1`. */
export function rowOffsets(representation: Representation, texts: readonly TokenizedText[]): Uint32Array {
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, i) => {
    offsets[i + 1] = offsets[i] + rowCount(representation, text);
  });
  return offsets;
}

/** Whether its only row has a weight for every word of the vocabulary; those above 0 are kept, each as a row. */
export function weighsVocabulary(representation: Representation): boolean {
  return 'count' in representation && representation.size !== undefined;
}
