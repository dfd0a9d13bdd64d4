import {
  add,
  concat,
  type DenseTensor,
  type Dim,
  div,
  type Graph,
  layerNorm,
  linear,
  matmul,
  mul,
  type ParameterSpec,
  reduceSum,
  reshape,
  sizeOf,
  split,
  sqrt,
  type Value,
} from '../../engine/index.js';
import { BertGraph, bertParameters, type DropoutSource, type GroupValue } from './bert.js';
import type { EncoderConfig } from './config.js';
import { HEAD_LAYER_NORM_EPS } from './head.js';
import type { PackedBatch } from './packed-batch.js';

/** What turns hidden states into one vector. */
export interface HeadConfig {
  pooling: 'first' | 'mean';
  /** A linear layer after pooling, and ANCE's LayerNorm after that. */
  projection?: { size: number; layerNorm: boolean };
  /** Scale vectors to length 1, so that the dot product is the cosine. */
  normalize: boolean;
}

/** Everything about an encoder but its weights. */
export interface EncoderSpec {
  config: EncoderConfig;
  head: HeadConfig;
}

export function embeddingSize({ config, head }: EncoderSpec): number {
  return head.projection?.size ?? config.hiddenSize;
}

export function encoderParameters(spec: EncoderSpec): ParameterSpec[] {
  const { projection } = spec.head;
  const specs = bertParameters(spec.config);
  if (projection) {
    specs.push({ name: 'head.linear.weight', shape: [projection.size, spec.config.hiddenSize] });
    specs.push({ name: 'head.linear.bias', shape: [projection.size] });
  }
  if (projection?.layerNorm) {
    specs.push({ name: 'head.norm.weight', shape: [projection.size] });
    specs.push({ name: 'head.norm.bias', shape: [projection.size] });
  }
  return specs;
}

/** A place where dropout acts, fed with fresh factors at each step. */
export interface DropoutPlace {
  input: string;
  shape: readonly Dim[];
  rate: number;
}

/** What a step needs of a transformer in its graph, whatever comes out of it. */
export interface TrainableGraph {
  /** The parameters that a loss can change. */
  learned: Value[];
  dropoutPlaces: DropoutPlace[];
}

export interface EncoderGraph extends TrainableGraph {
  /** One row for each text, in the order of the groups; see `PackedBatch.order`. */
  embeddings: Value;
}

export interface EncoderGraphOptions {
  /** Prefix of this encoder's inputs and parameters, to tell two towers apart. */
  prefix?: string;
  /** How many length groups a batch has. */
  groups: number;
  /** Leave dropout places for training. */
  dropout?: boolean;
  /** Compute only what the vectors need; such a graph has one group and no gradient. */
  inference?: boolean;
}

/** Adds an encoder to a graph, with inputs for a {@link PackedBatch} of `groups` groups. */
export function buildEncoder(graph: Graph, spec: EncoderSpec, options: EncoderGraphOptions): EncoderGraph {
  const { config, head } = spec;
  const body = { config, pooling: head.pooling, parameters: encoderParameters(spec) };
  const { pooled, parameter, learned, dropoutPlaces } = buildPooled(graph, body, options);
  return { embeddings: applyHead(pooled, spec, parameter), learned, dropoutPlaces };
}

/** What heads of all kinds begin with: one hidden state for each text. */
export interface PooledGraph extends TrainableGraph {
  /** [texts, hidden] */
  pooled: Value;
  parameter: (name: string) => Value;
  dropout: DropoutSource;
}

/** Adds the transformer and its pooling; `parameters` are all of the model, those of its head included. */
export function buildPooled(
  graph: Graph,
  body: { config: EncoderConfig; pooling: HeadConfig['pooling']; parameters: readonly ParameterSpec[] },
  options: EncoderGraphOptions,
): PooledGraph {
  const { prefix = '', groups: groupCount } = options;
  const { config, pooling } = body;
  const parameters = new Map(
    body.parameters.map(({ name, shape }) => [name, graph.parameter(prefix + name, shape)]),
  );
  const parameter = (name: string): Value => parameters.get(name)!;
  const dropoutPlaces: DropoutPlace[] = [];
  const dropout = (place: string, shape: readonly Dim[], rate: number): Value | undefined => {
    if (!options.dropout || rate === 0) return undefined;
    const input = `${prefix}dropout.${place}`;
    dropoutPlaces.push({ input, shape, rate });
    return graph.input(input, shape);
  };

  const groups = Array.from({ length: groupCount }, (_, g): GroupValue & { pool: Value } => {
    const [texts, length] = [`${prefix}texts${g}`, `${prefix}length${g}`];
    const table = (name: string): Value => graph.input(`${prefix}${name}${g}`, [texts, length]);
    return { texts, length, bias: table('bias'), pool: table('pool') };
  });
  const tokens = groupCount === 1 ? `${groups[0].texts}*${groups[0].length}` : `${prefix}tokens`;
  const list = (name: string): Value => graph.input(prefix + name, [tokens], 'int32');
  const bert = new BertGraph({ config, parameter, dropout });
  const inputs = { ids: list('ids'), positions: list('positions'), types: list('types'), groups };
  const onlyFirst = options.inference && groupCount === 1 && pooling === 'first';
  const pooled = onlyFirst
    ? bert.firstHidden(inputs)
    : poolGroups(bert.hidden(inputs), groups, textsDim(prefix, groupCount));
  const learned = [...parameters].filter(([name]) => !hasNoEffect(name)).map(([, value]) => value);
  return { pooled, parameter, learned, dropout, dropoutPlaces };
}

/**
 * A key's bias adds the same to all logits of a query, which softmax ignores: its gradient is exactly 0. Computed
 * in float32 it would be rounding noise, which Adam blows up to full steps.
 */
function hasNoEffect(name: string): boolean {
  return name.endsWith('.attention.self.key.bias');
}

/** The name of the dimension that counts a batch's texts. */
export function textsDim(prefix: string, groups: number): string {
  return groups === 1 ? `${prefix}texts0` : `${prefix}texts`;
}

/** One vector for each text of all groups: its tokens' hidden states by their weights in `pool`. */
function poolGroups(hidden: Value, groups: readonly (GroupValue & { pool: Value })[], dim: Dim): Value {
  const width = hidden.shape[1];
  const sizes = groups.map(({ texts, length }) => `${texts}*${length}`);
  const pooled = split(hidden, { axis: 0, sizes }).map((part, g) => {
    const { texts, length, pool } = groups[g];
    const weights = reshape(pool, [texts, 1, length]);
    return reshape(matmul(weights, reshape(part, [texts, length, width])), [texts, width]);
  });
  return concat(pooled, { axis: 0, dim });
}

/** Projection, LayerNorm and normalisation of pooled vectors [texts, hidden]. */
export function applyHead(pooled: Value, { head }: EncoderSpec, parameter: (name: string) => Value): Value {
  let x = pooled;
  if (head.projection) x = linear(x, parameter('head.linear.weight'), parameter('head.linear.bias'));
  if (head.projection?.layerNorm) {
    x = layerNorm(x, parameter('head.norm.weight'), parameter('head.norm.bias'), {
      epsilon: HEAD_LAYER_NORM_EPS,
    });
  }
  if (head.normalize) x = div(x, sqrt(add(reduceSum(mul(x, x), { axes: [-1], keepDims: true }), 1e-24)));
  return x;
}

/** The feeds of an encoder built by {@link buildEncoder} with the same prefix. */
export function encoderFeeds(packed: PackedBatch, prefix = ''): Record<string, DenseTensor> {
  const feeds: Record<string, DenseTensor> = {
    [`${prefix}ids`]: packed.ids,
    [`${prefix}positions`]: packed.positions,
    [`${prefix}types`]: packed.types,
  };
  packed.groups.forEach(({ bias, pool }, g) => {
    feeds[`${prefix}bias${g}`] = bias;
    feeds[`${prefix}pool${g}`] = pool;
  });
  return feeds;
}

/** Sizes of the named dimensions of {@link buildEncoder} for a batch. */
export function boundDims(packed: PackedBatch, prefix = ''): Map<string, number> {
  const dims = new Map<string, number>();
  packed.groups.forEach(({ bias: { shape } }, g) => {
    dims.set(`${prefix}texts${g}`, shape[0]);
    dims.set(`${prefix}length${g}`, shape[1]);
  });
  const tokens = sizeOf(packed.ids.shape);
  dims.set(`${prefix}texts`, packed.order.length);
  dims.set(`${prefix}tokens`, tokens);
  dims.set(`${prefix}texts0*${prefix}length0`, tokens);
  return dims;
}
