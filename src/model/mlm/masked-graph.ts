import {
  type DenseTensor,
  type Graph,
  logSoftmax,
  neg,
  pick,
  reduceMax,
  reduceMean,
  type Value,
} from '../../engine/index.js';
import { bertParameters } from '../encoder/bert.js';
import type { EncoderConfig } from '../encoder/config.js';
import { buildRows, rowsDim } from '../encoder/encoder-graph.js';
import type { DropoutPlace } from '../encoder/states-graph.js';
import type { TokenRows } from '../representation/representation.js';
import type { MaskedText } from './mask-words.js';
import { mlmHeadParameters, mlmLogits } from './mlm-head.js';

/** The states of hidden tokens are the rows of a text. */
export const HIDDEN_TOKENS: TokenRows = { tokens: (text) => (text as MaskedText).places };

/** An encoder that guesses hidden tokens, inside a graph. */
export interface MaskedGraph {
  /** The mean negative log probability of what stood there. */
  loss: Value;
  /** What the right token scores, and the best one: [rows, 1] each. */
  right: Value;
  best: Value;
  learned: Value[];
  dropoutPlaces: DropoutPlace[];
}

/** Adds an encoder and its head for hidden tokens, which share the table of words. */
export function buildMasked(
  graph: Graph,
  config: EncoderConfig,
  { groups, dropout }: { groups: number; dropout?: boolean },
): MaskedGraph {
  const parameters = [...bertParameters(config), ...mlmHeadParameters(config)];
  const body = { config, representation: HIDDEN_TOKENS, parameters };
  const { rows, parameter, learned, dropoutPlaces } = buildRows(graph, body, { groups, dropout });
  const logits = mlmLogits(rows, { config, parameter });
  const labels = graph.input('labels', [rowsDim(HIDDEN_TOKENS, '', groups), 1], 'int32');
  return {
    loss: neg(reduceMean(pick(logSoftmax(logits), labels))),
    right: pick(logits, labels),
    best: reduceMax(logits, { axes: [1], keepDims: true }),
    learned,
    dropoutPlaces,
  };
}

/** What stood in the hidden places, in the order in which a batch was packed. */
export function labelFeeds(texts: readonly MaskedText[], order: ArrayLike<number>): DenseTensor {
  const labels = Array.from(order, (text) => [...texts[text].labels]).flat();
  return { shape: [labels.length, 1], data: Int32Array.from(labels) };
}
