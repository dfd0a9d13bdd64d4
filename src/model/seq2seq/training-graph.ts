import {
  add,
  attention,
  concat,
  type DenseTensor,
  type Dim,
  exp,
  type Graph,
  log,
  logSoftmax,
  matmul,
  mul,
  neg,
  pick,
  productOf,
  reduceMean,
  reduceSum,
  reshape,
  split,
  type Value,
} from '../../engine/index.js';
import type { DropoutSource } from '../encoder/bert.js';
import type { DropoutPlace } from '../encoder/states-graph.js';
import { joinHeads, splitHeads } from './heads.js';
import type { Decoded, Seq2SeqNetwork, Seq2SeqSpec, SourceValues } from './network.js';
import { MASKED, type PackedSources, packSources, sourceFeeds } from './packed-sources.js';

const TEXTS = 'texts';
const LENGTH = 'length';
const OUT = 'out';

/** A text and what is to be written when it is read, without the token that starts it and with the one that ends it. */
export interface Seq2SeqPair {
  source: ArrayLike<number>;
  target: ArrayLike<number>;
}

export interface TrainingGraph {
  /** States of the source's tokens, [texts × length, hidden]. */
  states: Value;
  /** [texts × out, vocabulary] */
  logits: Value;
  /** Logits of copying each token of the source, [texts × out, length], in models that copy. */
  copies?: Value;
  /** Mean negative log probability of the target's tokens, smoothed where asked for. */
  loss: Value;
  /** Log probability of each target's token, [texts × out, 1]; what stands behind a target's end is noise. */
  picked: Value;
  learned: Value[];
  dropoutPlaces: DropoutPlace[];
}

export interface TrainingGraphOptions {
  dropout?: boolean;
  /** Share of the probability that is spread over all words (Szegedy et al. 2016). */
  smoothing?: number;
}

/** Adds a network to a graph that reads sources and is told the targets, token by token: all of them at once. */
export function buildTraining(
  graph: Graph,
  spec: Seq2SeqSpec,
  { dropout = false, smoothing = 0 }: TrainingGraphOptions = {},
): TrainingGraph {
  const dropoutPlaces: DropoutPlace[] = [];
  const network = addNetwork(graph, spec, (place, shape, rate) => {
    if (!dropout || rate === 0) return undefined;
    const input = `dropout.${place}`;
    dropoutPlaces.push({ input, shape, rate });
    return graph.input(input, shape);
  });
  const source = sourceInputs(graph);
  const states = network.network.encode(source);
  const rows = productOf([TEXTS, OUT]);
  const list = (name: string): Value => graph.input(name, [rows], 'int32');
  const future = graph.input('future', [OUT, OUT]);
  const distances = { buckets: graph.input('targetBuckets', [OUT, OUT], 'int32') };
  const decoded = network.network.decode(
    { ids: list('targetIds'), positions: list('targetPositions'), types: list('targetTypes') },
    wholeTargets(network, { source, states, future, distances }),
  );
  const { logits } = decoded;
  const labels = graph.input('labels', [rows, 1], 'int32');
  const copies = copyLogits(network.network, decoded, { source, states });
  const { words: probabilities, picked } = copies
    ? writtenOrCopied({ logits, copies, labels })
    : wordsOnly(logits, labels);
  const weights = graph.input('labelWeights', [rows, 1]);
  const right = reduceSum(mul(picked, weights));
  const everywhere = reduceMean(probabilities, { axes: [1], keepDims: true });
  const likelihood =
    smoothing === 0
      ? right
      : add(mul(right, 1 - smoothing), mul(reduceSum(mul(everywhere, weights)), smoothing));
  return {
    states,
    logits,
    ...(copies && { copies }),
    loss: neg(likelihood),
    picked,
    learned: network.network.learned,
    dropoutPlaces,
  };
}

/** How well each token of the source fits what a row of the target looks for, [texts × out, length]. */
function copyLogits(
  network: Seq2SeqNetwork,
  { copyQuery }: Decoded,
  { source, states }: { source: SourceValues; states: Value },
): Value | undefined {
  if (!copyQuery || !network.copyKey) return undefined;
  const [, hidden] = copyQuery.shape;
  const fit = matmul(
    reshape(copyQuery, [TEXTS, OUT, hidden]),
    reshape(network.copyKey(states), [TEXTS, LENGTH, hidden]),
    { transposeB: true, alpha: Number(hidden) ** -0.5 },
  );
  const masked = add(fit, reshape(source.bias, [TEXTS, 1, LENGTH]));
  return reshape(masked, [productOf([TEXTS, OUT]), LENGTH]);
}

/** Log probabilities of words, and of the labels. */
interface TokenProbabilities {
  /** [rows, vocabulary] */
  words: Value;
  /** [rows, 1] */
  picked: Value;
}

function wordsOnly(logits: Value, labels: Value): TokenProbabilities {
  const words = logSoftmax(logits);
  return { words, picked: pick(words, labels) };
}

/** So small that it changes no probability that a float32 can hold beside others, and log(0) never comes. */
const LEAST_PROBABILITY = 1e-30;

/**
 * One softmax over all words and all tokens of the source (CopyNet, eq. 4 to 6): a token comes next by being written, or by
 * being copied from any place where the source has it; the probabilities add up.
 */
function writtenOrCopied({
  logits,
  copies,
  labels,
}: {
  logits: Value;
  copies: Value;
  labels: Value;
}): TokenProbabilities {
  const [rows, size] = logits.shape;
  const [words, places] = split(logSoftmax(concat([logits, copies], { axis: 1 })), {
    axis: 1,
    sizes: [size, LENGTH],
  });
  const same = logits.graph.input('sameAsLabel', [rows, LENGTH]);
  const copied = reduceSum(mul(exp(places), same), { axes: [1], keepDims: true });
  const either = add(exp(pick(words, labels)), copied);
  return { words, picked: log(add(either, LEAST_PROBABILITY)) };
}

/** A network with its parameters, in a graph. */
export interface NetworkInGraph {
  network: Seq2SeqNetwork;
  dropout: DropoutSource;
}

export function addNetwork(
  graph: Graph,
  spec: Seq2SeqSpec,
  dropout: DropoutSource = () => undefined,
): NetworkInGraph {
  const parameters = new Map(
    spec.parameters().map(({ name, shape }) => [name, graph.parameter(name, shape)]),
  );
  const parameter = (name: string): Value => parameters.get(name)!;
  return { network: spec.build({ parameter, dropout }), dropout };
}

/** The inputs of {@link sourceFeeds}. */
export function sourceInputs(graph: Graph): SourceValues {
  const tokens = productOf([TEXTS, LENGTH]);
  const list = (name: string): Value => graph.input(name, [tokens], 'int32');
  return {
    texts: TEXTS,
    length: LENGTH,
    ids: list('sourceIds'),
    positions: list('sourcePositions'),
    types: list('sourceTypes'),
    bias: graph.input('sourceBias', [TEXTS, LENGTH]),
    distances: { buckets: graph.input('sourceBuckets', [LENGTH, LENGTH], 'int32') },
  };
}

/** Every token of a target looks at those before it and at all of the source. */
function wholeTargets(
  { network, dropout }: NetworkInGraph,
  inputs: { source: SourceValues; states: Value; future: Value; distances: { buckets: Value } },
) {
  const { source, states, future, distances } = inputs;
  const { heads, width, scale, attentionDropout } = network;
  const target = { texts: TEXTS, length: OUT, heads, width };
  const hidden = reshape(future, [1, 1, OUT, OUT]);
  const bias = network.distanceBias(distances);
  const before = bias ? add(bias, hidden) : hidden;
  const padding = reshape(source.bias, [TEXTS, 1, 1, LENGTH]);
  const dropped = (place: string, keys: Dim): Value | undefined =>
    dropout(place, [TEXTS, heads, OUT, keys], attentionDropout);
  return {
    self(layer: number, { query, key, value }: Record<'query' | 'key' | 'value', Value>): Value {
      const looked = {
        query: splitHeads(query, target),
        key: splitHeads(key, target),
        value: splitHeads(value, target),
        bias: before,
        dropout: dropped(`decoder.${layer}.self`, OUT),
      };
      return joinHeads(attention(looked, { scale }), target);
    },
    cross(layer: number, query: Value): Value {
      const read = { ...target, length: LENGTH };
      const looked = {
        query: splitHeads(query, target),
        key: splitHeads(network.crossKey(layer, states), read),
        value: splitHeads(network.crossValue(layer, states), read),
        bias: padding,
        dropout: dropped(`decoder.${layer}.cross`, LENGTH),
      };
      return joinHeads(attention(looked, { scale }), target);
    },
  };
}

/** A batch of pairs as a graph of {@link buildTraining} is fed. */
export interface PackedPairs {
  feeds: Record<string, DenseTensor>;
  /** Sizes of the named dimensions. */
  dims: Map<string, number>;
  /** Tokens of sources and targets, without padding. */
  tokens: number;
  /** Tokens of targets. */
  targetTokens: number;
  out: number;
}

/** Lays pairs out for a graph of {@link buildTraining}; every token of a target weighs the same. */
export function packPairs(pairs: readonly Seq2SeqPair[], spec: Seq2SeqSpec): PackedPairs {
  const { shape } = spec;
  const sources: PackedSources = packSources(
    pairs.map(({ source }) => source),
    shape,
  );
  const out = Math.max(...pairs.map(({ target }) => target.length));
  const rows = pairs.length * out;
  const targetTokens = pairs.reduce((sum, { target }) => sum + target.length, 0);
  const ids = new Int32Array(rows).fill(shape.padId);
  const positions = new Int32Array(rows);
  const labels = new Int32Array(rows);
  const weights = new Float32Array(rows);
  pairs.forEach(({ target }, text) => {
    for (let t = 0; t < out; t++) {
      const row = text * out + t;
      positions[row] = shape.positionOffset + t;
      if (t <= target.length) ids[row] = t === 0 ? shape.startId : target[t - 1];
      if (t >= target.length) continue;
      labels[row] = target[t];
      weights[row] = 1 / targetTokens;
    }
  });
  const { texts, length } = sources;
  const same = new Float32Array(spec.copies ? rows * length : 0);
  for (let row = 0; row < rows && spec.copies; row++) {
    const source = pairs[Math.floor(row / out)].source;
    if (weights[row] === 0) continue;
    for (let t = 0; t < source.length; t++) if (source[t] === labels[row]) same[row * length + t] = 1;
  }
  const future = new Float32Array(out * out);
  const buckets = new Int32Array(out * out);
  for (let query = 0; query < out; query++) {
    for (let key = 0; key < out; key++) {
      if (key > query) future[query * out + key] = MASKED;
      buckets[query * out + key] = shape.bucket(key - query, 'decoder');
    }
  }
  const feeds: Record<string, DenseTensor> = {
    ...sourceFeeds(sources),
    targetIds: { shape: [rows], data: ids },
    targetPositions: { shape: [rows], data: positions },
    targetTypes: { shape: [rows], data: new Int32Array(rows) },
    targetBuckets: { shape: [out, out], data: buckets },
    future: { shape: [out, out], data: future },
    labels: { shape: [rows, 1], data: labels },
    labelWeights: { shape: [rows, 1], data: weights },
    ...(spec.copies && { sameAsLabel: { shape: [rows, length], data: same } }),
  };
  const dims = new Map([
    [TEXTS, texts],
    [LENGTH, length],
    [OUT, out],
    [`${TEXTS}*${LENGTH}`, texts * length],
    [`${TEXTS}*${OUT}`, rows],
  ]);
  return { feeds, dims, tokens: sources.tokens + targetTokens, targetTokens, out };
}
