import {
  type DenseTensor,
  type Graph,
  type ParameterSpec,
  reshape,
  split,
  type Value,
} from '../../engine/index.js';
import type { StepRandom } from '../../model/encoder/dropout.js';
import {
  buildEncoder,
  type EncoderSpec,
  embeddingSize,
  encoderParameters,
} from '../../model/encoder/encoder-graph.js';
import { isSided, representationOf } from '../../model/representation/kinds.js';
import type { Side } from '../../model/side.js';
import type { Towers } from '../../recipe/recipe.js';
import type { RetrievalBatch } from '../task/batch.js';
import { OrderedRows } from './ordered-rows.js';

/** How the parameters and inputs of each side's encoder start. */
export const TOWER_PREFIX: Record<Towers, Record<Side, string>> = {
  shared: { queries: '', documents: '' },
  two: { queries: 'query.', documents: 'document.' },
};

/** The parameters of one or both encoders, or others that each of them has, under the names the graphs give them. */
export function towerParameters(
  spec: EncoderSpec,
  towers: Towers,
  ofEach: (spec: EncoderSpec) => ParameterSpec[] = encoderParameters,
): ParameterSpec[] {
  const prefixes = new Set(Object.values(TOWER_PREFIX[towers]));
  return [...prefixes].flatMap((prefix) =>
    ofEach(spec).map(({ name, shape }) => ({ name: prefix + name, shape })),
  );
}

export interface TowerOptions {
  spec: EncoderSpec;
  prefix: string;
  /** Prefix of its inputs, where both sides of a shared encoder are in one graph. Default: `prefix`. */
  inputs?: string;
  side: Side;
  groups: number;
  dropout?: boolean;
  /** Whether a layer that is no part of the model is on its rows. */
  projector?: boolean;
}

/** An encoder of one side's rows inside a step's graph. */
export class Tower extends OrderedRows {
  constructor(graph: Graph, options: TowerOptions) {
    const { spec, side, groups } = options;
    const encoder = buildEncoder(graph, spec, options);
    super(graph, encoder, {
      config: spec.config,
      representation: representationOf(spec.head, side),
      prefix: options.inputs ?? options.prefix,
      groups,
    });
  }

  /** [rows, size], in the order the texts were given. */
  get embeddings(): Value {
    return this.rows;
  }
}

/** What a step is fed of its texts. */
type BatchTexts = Pick<RetrievalBatch, 'queries' | 'documents' | 'rows'>;

/** Both sides of a step: their rows, and the feeds that make them. */
export interface TwoSides {
  queries: Value;
  documents: Value;
  learned: Value[];
  feeds(batch: BatchTexts, random: StepRandom): Record<string, DenseTensor>;
}

export interface TowersOptions {
  spec: EncoderSpec;
  towers: Towers;
  /** Length groups in a batch: more means less padding, and more but smaller attention products. */
  groups: number;
  dropout?: boolean;
  projector?: boolean;
  /** The dimensions that count the rows of each side. */
  dims: Record<Side, string>;
  /** The sides whose rows are fed, because their towers do not learn. Default none. */
  frozen?: readonly Side[];
}

export function buildTowers(graph: Graph, options: TowersOptions): TwoSides {
  const { towers, spec, frozen = [] } = options;
  const together = towers === 'shared' && !isSided(spec.head) && frozen.length === 0;
  return together ? sharedTower(graph, options) : twoTowers(graph, options);
}

function sharedTower(graph: Graph, { spec, groups, dropout, projector, dims }: TowersOptions): TwoSides {
  const prefix = TOWER_PREFIX.shared.documents;
  const tower = new Tower(graph, { spec, prefix, side: 'documents', groups, dropout, projector });
  const [queries, documents] = split(tower.embeddings, { axis: 0, sizes: [dims.queries, dims.documents] });
  return {
    queries,
    documents,
    learned: tower.learned,
    feeds: (texts, random) => tower.feeds([...texts.queries, ...texts.documents], random),
  };
}

/** A side that has a tower to itself, or whose rows are fed. */
interface OneSide {
  rows: Value;
  learned: Value[];
  feeds(batch: BatchTexts, random: StepRandom): Record<string, DenseTensor>;
}

/** Each side by itself: by its own encoder, or by a shared one that represents them differently. */
function twoTowers(graph: Graph, options: TowersOptions): TwoSides {
  const { groups, frozen = [] } = options;
  const sideOf = (side: Side, ownGroups: number): OneSide =>
    frozen.includes(side) ? frozenSide(graph, side, options) : learningSide(graph, side, ownGroups, options);
  // Queries are short and of one kind: a single group serves them.
  const [queries, documents] = [sideOf('queries', 1), sideOf('documents', groups)];
  return {
    queries: queries.rows,
    documents: documents.rows,
    learned: [...new Set([...queries.learned, ...documents.learned])],
    feeds: (batch, random) => ({ ...queries.feeds(batch, random), ...documents.feeds(batch, random) }),
  };
}

function learningSide(graph: Graph, side: Side, groups: number, options: TowersOptions): OneSide {
  const { spec, towers, dropout, projector, dims } = options;
  const prefixes = { prefix: TOWER_PREFIX[towers][side], inputs: TOWER_PREFIX.two[side] };
  const tower = new Tower(graph, { spec, side, ...prefixes, groups, dropout, projector });
  return {
    rows: reshape(tower.embeddings, [dims[side], embeddingSize(spec)]),
    learned: tower.learned,
    feeds: (batch, random) => tower.feeds(batch[side], random),
  };
}

/** What does not learn has its rows, and nothing of it is computed. */
function frozenSide(graph: Graph, side: Side, { spec, dims }: TowersOptions): OneSide {
  const size = embeddingSize(spec);
  const name = `rows of ${side}`;
  return {
    rows: graph.input(name, [dims[side], size]),
    learned: [],
    feeds: (batch) => {
      const data = batch.rows![side]!.vectors;
      return { [name]: { shape: [data.length / size, size], data } };
    },
  };
}
