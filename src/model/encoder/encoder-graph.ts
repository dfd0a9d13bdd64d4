import {
  add,
  concat,
  type DenseTensor,
  div,
  equal,
  type Graph,
  layerNorm,
  linear,
  mul,
  type ParameterSpec,
  reduceSum,
  relu,
  reshape,
  selectRows,
  sizeOf,
  split,
  sqrt,
  tanh,
  toFloat,
  type Value,
  where,
} from '../../engine/index.js';
import { isSided, makesTerms, type Pooling, representationOf } from '../representation/kinds.js';
import type { Representation } from '../representation/representation.js';
import { TERM_ROW, termRows } from '../scorer/impact.js';
import { SIDES, type Side } from '../side.js';
import { bertParameters, type DropoutSource } from './bert.js';
import type { EncoderConfig } from './config.js';
import { HEAD_LAYER_NORM_EPS } from './head.js';
import type { PackedBatch } from './packed-batch.js';
import {
  buildStates,
  poolGroups,
  type StatesOptions,
  selectionInputs,
  statesOf,
  type TrainableGraph,
  textsDim,
} from './states-graph.js';

/** What turns hidden states into rows. */
export interface HeadConfig extends Pooling {
  /** A linear layer after pooling, with a bias unless told otherwise, and ANCE's LayerNorm after that. */
  projection?: { size: number; layerNorm: boolean; bias?: false };
  /** Scale vectors to length 1, so that the dot product is the cosine. */
  normalize: boolean;
}

/** Everything about an encoder but its weights. */
export interface EncoderSpec {
  config: EncoderConfig;
  head: HeadConfig;
}

/** Numbers in a row as a graph makes it. */
export function embeddingSize(spec: EncoderSpec): number {
  const representation = representationOf(spec.head, 'documents');
  if ('tokens' in representation && representation.terms) return TERM_ROW;
  return ('count' in representation && representation.size?.(spec.config)) || headSize(spec);
}

/** Numbers in a row as it is kept: of a weight for every word, those above 0 are, each as a row of its own. */
export function keptSize(spec: EncoderSpec): number {
  return makesTerms(spec.head) ? TERM_ROW : embeddingSize(spec);
}

/** Numbers that a head makes of a state. */
export function headSize({ config, head }: EncoderSpec): number {
  return head.projection?.size ?? config.hiddenSize;
}

/** @param side leave out what only the other side's texts need */
export function encoderParameters(spec: EncoderSpec, side?: Side): ParameterSpec[] {
  const { projection } = spec.head;
  const { hiddenSize } = spec.config;
  const specs = bertParameters(spec.config);
  for (const each of isSided(spec.head) && !side ? SIDES : [side ?? 'documents']) {
    const representation = representationOf(spec.head, each);
    if ('count' in representation) specs.push(...(representation.parameters?.(spec.config) ?? []));
  }
  if (projection) {
    specs.push({ name: 'head.linear.weight', shape: [projection.size, hiddenSize] });
    if (projection.bias !== false) specs.push({ name: 'head.linear.bias', shape: [projection.size] });
  }
  if (projection?.layerNorm) {
    specs.push({ name: 'head.norm.weight', shape: [projection.size] });
    specs.push({ name: 'head.norm.bias', shape: [projection.size] });
  }
  return specs;
}

const PROJECTOR = { weight: 'projector.weight', bias: 'projector.bias' };

/** A layer on the rows that learns with an encoder and is not part of it: SimCSE's, which is gone when texts are encoded. */
export function projectorParameters(spec: EncoderSpec): ParameterSpec[] {
  const size = embeddingSize(spec);
  return [
    { name: PROJECTOR.weight, shape: [size, size] },
    { name: PROJECTOR.bias, shape: [size] },
  ];
}

export interface EncoderGraph extends TrainableGraph {
  /** The rows of the texts in the order of the groups; see `PackedBatch.order` and `PackedBatch.rowOffsets`. */
  embeddings: Value;
}

export interface EncoderGraphOptions extends StatesOptions {
  /** Whose texts it reads. Default `documents`. */
  side?: Side;
  /** Puts {@link projectorParameters} on the rows. */
  projector?: boolean;
  /** Compute only what the vectors need; such a graph has one group and no gradient. */
  inference?: boolean;
}

/** Adds an encoder to a graph, with inputs for a {@link PackedBatch} of `groups` groups. */
export function buildEncoder(graph: Graph, spec: EncoderSpec, options: EncoderGraphOptions): EncoderGraph {
  const { config, head } = spec;
  const { side = 'documents' } = options;
  const representation = representationOf(head, side);
  const parameters = encoderParameters(spec, side);
  if (options.projector) parameters.push(...projectorParameters(spec));
  const body = { config, representation, parameters };
  const { rows, tokenIds, parameter, learned, dropoutPlaces } = buildRows(graph, body, options);
  const made = applyHead(rows, spec, parameter, options);
  const terms = 'tokens' in representation ? representation.terms : undefined;
  const embeddings = terms ? weighedTerms(tokenIds!(), made, terms) : made;
  return { embeddings, learned, dropoutPlaces };
}

/** Rows of tokens and what they weigh. */
function weighedTerms(
  ids: Value,
  made: Value,
  { relu: cut, weightless }: { relu: boolean; weightless: readonly number[] },
): Value {
  const weights = cut ? relu(made) : made;
  return termRows(
    ids,
    weightless.reduce((value, id) => where(equal(ids, id), 0, value), weights),
  );
}

/** What heads of all kinds begin with: hidden states, one or some for each text. */
export interface RowsGraph extends TrainableGraph {
  /** [rows, hidden] */
  rows: Value;
  /** The tokens whose states are rows, where they are, as numbers with a fraction: [rows, 1]. */
  tokenIds?: () => Value;
  parameter: (name: string) => Value;
  dropout: DropoutSource;
}

/** Adds the transformer and what it makes of states; `parameters` are all of the model, those of its head included. */
export function buildRows(
  graph: Graph,
  body: { config: EncoderConfig; representation: Representation; parameters: readonly ParameterSpec[] },
  options: EncoderGraphOptions,
): RowsGraph {
  const { groups: groupCount } = options;
  const { config, representation } = body;
  const states = buildStates(graph, body, options);
  const { prefix, tokens, inputs, groups, parameter, learned, dropout, dropoutPlaces } = states;
  const shared = { parameter, learned, dropout, dropoutPlaces };
  const rowsName = rowsDim(representation, prefix, groupCount);
  if ('weigh' in representation) {
    const onlyFirst = options.inference && groupCount === 1 && representation.firstTokenOnly;
    const rows = onlyFirst ? states.firstHidden() : poolGroups(states.hidden(), groups, rowsName);
    return { rows, ...shared };
  }
  const hidden = states.hidden();
  if ('count' in representation) {
    const { inference } = options;
    const sizes = groups.map(({ texts, length }) => `${texts}*${length}`);
    const ids = split(inputs.ids, { axis: 0, sizes });
    const parts = statesOf(hidden, groups).map((group, g) => {
      const { texts, length } = group;
      const own = { ...group, ids: reshape(ids[g], [texts, length]), config, inference };
      return representation.build(own, parameter);
    });
    const size = representation.size?.(config) ?? config.hiddenSize;
    const rows = reshape(concat(parts, { axis: 0, dim: rowsName }), [rowsName, size]);
    return { rows, ...shared };
  }
  const [selected, unselected] = selectionInputs(graph, states, rowsName);
  const tokenIds = (): Value => selectRows(reshape(toFloat(inputs.ids), [tokens, 1]), selected, unselected);
  return { rows: selectRows(hidden, selected, unselected), tokenIds, ...shared };
}

/** The name of the dimension that counts a batch's rows: that of its texts where each has one. */
export function rowsDim(representation: Representation, prefix: string, groups: number): string {
  return 'weigh' in representation ? textsDim(prefix, groups) : `${prefix}rows`;
}

/** Projection, LayerNorm and normalisation of rows [rows, hidden]. */
export function applyHead(
  rows: Value,
  { head }: EncoderSpec,
  parameter: (name: string) => Value,
  { projector }: Pick<EncoderGraphOptions, 'projector'> = {},
): Value {
  let x = rows;
  if (head.projection) {
    const bias = head.projection.bias === false ? undefined : parameter('head.linear.bias');
    x = linear(x, parameter('head.linear.weight'), bias);
  }
  if (head.projection?.layerNorm) {
    x = layerNorm(x, parameter('head.norm.weight'), parameter('head.norm.bias'), {
      epsilon: HEAD_LAYER_NORM_EPS,
    });
  }
  if (projector) x = tanh(linear(x, parameter(PROJECTOR.weight), parameter(PROJECTOR.bias)));
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
    if (pool) feeds[`${prefix}pool${g}`] = pool;
  });
  if (packed.selection) {
    feeds[`${prefix}selected`] = packed.selection.tokens;
    feeds[`${prefix}unselected`] = packed.selection.inverse;
  }
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
