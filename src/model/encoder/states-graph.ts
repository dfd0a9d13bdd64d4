import {
  concat,
  type Dim,
  type Graph,
  matmul,
  type ParameterSpec,
  reshape,
  split,
  type Value,
} from '../../engine/index.js';
import type { Representation } from '../representation/representation.js';
import { BertGraph, type BertInputs, type DropoutSource, type GroupValue } from './bert.js';
import type { EncoderConfig } from './config.js';

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

export interface StatesOptions {
  /** Prefix of this encoder's inputs and parameters, to tell two towers apart. */
  prefix?: string;
  /** Prefix of its inputs, where one encoder reads the texts of both sides by themselves. Default: `prefix`. */
  inputs?: string;
  /** How many length groups a batch has. */
  groups: number;
  /** Leave dropout places for training. */
  dropout?: boolean;
}

/** A length group, and the weights of its tokens in pooled rows where texts have one. */
export type PooledGroup = GroupValue & { pool?: Value };

/** A transformer over a batch's tokens, before anything is made of its states. */
export interface StatesGraph extends TrainableGraph {
  /** Prefix of its inputs. */
  prefix: string;
  /** The dimension that counts the tokens of all groups. */
  tokens: string;
  inputs: BertInputs;
  groups: PooledGroup[];
  /** Hidden states of the last layer, [tokens, hidden]. */
  hidden(): Value;
  /** Those of each text's first token, [texts, hidden], for one group and without a gradient. */
  firstHidden(): Value;
  parameter: (name: string) => Value;
  dropout: DropoutSource;
}

/** Adds the transformer; `parameters` are all of the model, those of its head included. */
export function buildStates(
  graph: Graph,
  body: { config: EncoderConfig; representation: Representation; parameters: readonly ParameterSpec[] },
  options: StatesOptions,
): StatesGraph {
  const { prefix: ofParameters = '', inputs: prefix = ofParameters, groups: groupCount } = options;
  const { config, representation } = body;
  // Two passes of one encoder in a graph share its weights.
  const known = new Map(graph.parameters.map((value) => [value.name, value]));
  const parameters = new Map(
    body.parameters.map(({ name, shape }) => {
      const full = ofParameters + name;
      return [name, known.get(full) ?? graph.parameter(full, shape)];
    }),
  );
  const parameter = (name: string): Value => parameters.get(name)!;
  const dropoutPlaces: DropoutPlace[] = [];
  const dropout = (place: string, shape: readonly Dim[], rate: number): Value | undefined => {
    if (!options.dropout || rate === 0) return undefined;
    const input = `${prefix}dropout.${place}`;
    dropoutPlaces.push({ input, shape, rate });
    return graph.input(input, shape);
  };

  const groups = Array.from({ length: groupCount }, (_, g): PooledGroup => {
    const [texts, length] = [`${prefix}texts${g}`, `${prefix}length${g}`];
    const table = (name: string): Value => graph.input(`${prefix}${name}${g}`, [texts, length]);
    return { texts, length, bias: table('bias'), ...('weigh' in representation && { pool: table('pool') }) };
  });
  const tokens = groupCount === 1 ? `${groups[0].texts}*${groups[0].length}` : `${prefix}tokens`;
  const list = (name: string): Value => graph.input(prefix + name, [tokens], 'int32');
  const bert = new BertGraph({ config, parameter, dropout });
  const inputs = { ids: list('ids'), positions: list('positions'), types: list('types'), groups };
  const learned = [...parameters].filter(([name]) => !hasNoEffect(name)).map(([, value]) => value);
  return {
    prefix,
    tokens,
    inputs,
    groups,
    hidden: () => bert.hidden(inputs),
    firstHidden: () => bert.firstHidden(inputs),
    parameter,
    learned,
    dropout,
    dropoutPlaces,
  };
}

/** The inputs of `PackedBatch.selection`: which tokens become rows, and for each token its row. */
export function selectionInputs(
  graph: Graph,
  { prefix, tokens }: Pick<StatesGraph, 'prefix' | 'tokens'>,
  rows: Dim,
): [selected: Value, unselected: Value] {
  return [
    graph.input(`${prefix}selected`, [rows], 'int32'),
    graph.input(`${prefix}unselected`, [tokens], 'int32'),
  ];
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

/** The states of each group, [texts, length, hidden]. */
export function statesOf<Group extends GroupValue>(
  hidden: Value,
  groups: readonly Group[],
): (Group & { states: Value })[] {
  const sizes = groups.map(({ texts, length }) => `${texts}*${length}`);
  return split(hidden, { axis: 0, sizes }).map((part, g) => {
    const { texts, length } = groups[g];
    return { ...groups[g], states: reshape(part, [texts, length, hidden.shape[1]]) };
  });
}

/** One vector for each text of all groups: its tokens' hidden states by their weights in `pool`. */
export function poolGroups(hidden: Value, groups: readonly PooledGroup[], dim: Dim): Value {
  const pooled = statesOf(hidden, groups).map(({ texts, length, pool, states }) => {
    const weights = reshape(pool!, [texts, 1, length]);
    return reshape(matmul(weights, states), [texts, hidden.shape[1]]);
  });
  return concat(pooled, { axis: 0, dim });
}
