import { type Graph, linear, mul, type ParameterSpec, tanh, type Value } from '../../engine/index.js';
import { bertParameters, type DropoutSource } from '../encoder/bert.js';
import type { EncoderConfig } from '../encoder/config.js';
import { buildRows, type EncoderGraphOptions } from '../encoder/encoder-graph.js';
import type { TrainableGraph } from '../encoder/states-graph.js';
import { representationOf } from '../representation/kinds.js';

/** Everything about a cross-encoder but its weights. */
export interface CrossEncoderSpec {
  config: EncoderConfig;
}

/** A pair is read off its first token. */
export const FIRST_TOKEN = representationOf({ pooling: 'first' }, 'documents');

/** The names of the scoring layers among those of the transformer. */
export const SCORE_NAMES = {
  poolerWeight: 'head.pooler.weight',
  poolerBias: 'head.pooler.bias',
  scoreWeight: 'head.score.weight',
  scoreBias: 'head.score.bias',
} as const;

export function crossEncoderParameters({ config }: CrossEncoderSpec): ParameterSpec[] {
  const { hiddenSize } = config;
  return [
    ...bertParameters(config),
    { name: SCORE_NAMES.poolerWeight, shape: [hiddenSize, hiddenSize] },
    { name: SCORE_NAMES.poolerBias, shape: [hiddenSize] },
    { name: SCORE_NAMES.scoreWeight, shape: [1, hiddenSize] },
    { name: SCORE_NAMES.scoreBias, shape: [1] },
  ];
}

export interface CrossEncoderGraph extends TrainableGraph {
  /** [pairs, 1], in the order of the groups; see `PackedBatch.order`. */
  scores: Value;
}

/** Adds a cross-encoder to a graph, with inputs as of `buildEncoder`. */
export function buildCrossEncoder(
  graph: Graph,
  spec: CrossEncoderSpec,
  options: EncoderGraphOptions,
): CrossEncoderGraph {
  const parameters = crossEncoderParameters(spec);
  const body = { config: spec.config, representation: FIRST_TOKEN, parameters };
  const { rows, parameter, learned, dropout, dropoutPlaces } = buildRows(graph, body, options);
  const rate = spec.config.hiddenDropout;
  return { scores: scoreHead(rows, parameter, { dropout, rate }), learned, dropoutPlaces };
}

/**
 * The first token's state → linear, tanh → linear: BERT's pooler and classifier, RoBERTa's classification head.
 * Dropout falls between the two, as in `BertForSequenceClassification`.
 */
export function scoreHead(
  pooled: Value,
  parameter: (name: string) => Value,
  { dropout, rate }: { dropout?: DropoutSource; rate: number } = { rate: 0 },
): Value {
  const hidden = tanh(linear(pooled, parameter(SCORE_NAMES.poolerWeight), parameter(SCORE_NAMES.poolerBias)));
  const factors = dropout?.('pooler', hidden.shape, rate);
  const kept = factors ? mul(hidden, factors) : hidden;
  return linear(kept, parameter(SCORE_NAMES.scoreWeight), parameter(SCORE_NAMES.scoreBias));
}
