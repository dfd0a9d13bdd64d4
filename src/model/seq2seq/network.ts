import type { ParameterSpec, Value } from '../../engine/index.js';
import type { DropoutSource } from '../encoder/bert.js';

/** The texts that are read, padded to the longest of them. */
export interface SourceValues {
  /** Names of the dimensions. */
  texts: string;
  length: string;
  /** [texts × length] */
  ids: Value;
  positions: Value;
  types: Value;
  /** [texts, length]: 0 for tokens, a large negative number for padding. */
  bias: Value;
  /** The distances between tokens as places in a table. */
  distances: Distances;
}

/** The distance of each query from each key, in families that look at it: [queries, keys] places in a table. */
export interface Distances {
  buckets: Value;
}

/** What is written so far, or its last tokens: one row for each. */
export interface TargetValues {
  /** [rows] */
  ids: Value;
  positions: Value;
  types: Value;
}

/** Where rows of the decoder look. Values are [rows, heads × width]; how rows stand in texts is the graph's business. */
export interface DecoderAttention {
  /** At the rows before it in the same text, and itself. */
  self(layer: number, projected: { query: Value; key: Value; value: Value }): Value;
  /** At the text that is read. */
  cross(layer: number, query: Value): Value;
}

/** A network that reads a text and writes another, inside a graph: all in which families differ. */
export interface Seq2SeqNetwork {
  readonly heads: number;
  /** Width of a head. */
  readonly width: number;
  readonly decoderLayers: number;
  /** Factor of attention's logits. */
  readonly scale: number;
  readonly attentionDropout: number;
  /** The parameters that a loss can change. */
  readonly learned: Value[];
  /** States of the source's tokens, [texts × length, hidden]. */
  encode(source: SourceValues): Value;
  /** What a decoder layer's cross attention sees of them, [texts × length, heads × width]. */
  crossKey(layer: number, states: Value): Value;
  crossValue(layer: number, states: Value): Value;
  /** Added to the logits of self attention in the decoder, [1, heads, queries, keys], where the family has such. */
  distanceBias(distances: Distances): Value | undefined;
  /** What copying compares of the states of the source, [texts × length, hidden], in models that copy. */
  copyKey?(states: Value): Value;
  decode(target: TargetValues, attention: DecoderAttention): Decoded;
}

/** What a decoder says of the next token, one row for each. */
export interface Decoded {
  /** Logits of words, [rows, vocabulary]. */
  logits: Value;
  /** What is compared with {@link Seq2SeqNetwork.copyKey}, [rows, hidden], in models that copy. */
  copyQuery?: Value;
}

export interface NetworkOptions {
  parameter: (name: string) => Value;
  dropout: DropoutSource;
}

/** What every family of models that read a text and write another says of itself, whatever it is made of. */
export interface Seq2SeqShape {
  vocabularySize: number;
  /** Token that every target starts with. */
  startId: number;
  /** Token that ends a target. */
  endId: number;
  padId: number;
  /** Position of the first token, of source and target. */
  positionOffset: number;
  /** Most tokens of source and target, where positions are a table. */
  maxSource?: number;
  maxTarget?: number;
  /** Place in the table of distances, for a key that stands `distance` after the query. */
  bucket(distance: number, of: 'encoder' | 'decoder'): number;
}

/** A model of some family, but for its weights. */
export interface Seq2SeqSpec {
  readonly family: string;
  readonly shape: Seq2SeqShape;
  readonly hasDropout: boolean;
  /** Whether it can copy tokens of the source. */
  readonly copies?: boolean;
  /** Layers of the encoder. */
  readonly layers: number;
  parameters(): ParameterSpec[];
  build(options: NetworkOptions): Seq2SeqNetwork;
  /** The content of `config.json`. */
  toConfig(): Record<string, unknown>;
  /** The name that a parameter has in `model.safetensors`, and the names under which it is written once more. */
  stored(name: string): string[];
  /** Names under which some programs write it once more; where a folder has one, its numbers have to be the same. */
  repeated?(name: string): string[];
}
