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
import type { Towers } from '../../recipe/recipe.js';
import type { RetrievalBatch } from '../task/batch.js';
import { OrderedRows } from './ordered-rows.js';

/** How the parameters and inputs of each side's encoder start. */
export const TOWER_PREFIX: Record<Towers, { queries: string; documents: string }> = {
  shared: { queries: '', documents: '' },
  two: { queries: 'query.', documents: 'document.' },
};

/** The parameters of one or both encoders, under the names the graphs give them. */
export function towerParameters(spec: EncoderSpec, towers: Towers): ParameterSpec[] {
  const prefixes = new Set(Object.values(TOWER_PREFIX[towers]));
  return [...prefixes].flatMap((prefix) =>
    encoderParameters(spec).map(({ name, shape }) => ({ name: prefix + name, shape })),
  );
}

/** An encoder of vectors inside a step's graph. */
export class Tower extends OrderedRows {
  constructor(
    graph: Graph,
    options: { spec: EncoderSpec; prefix: string; groups: number; dropout?: boolean },
  ) {
    const { config, head } = options.spec;
    const encoder = buildEncoder(graph, options.spec, options);
    super(graph, encoder, { ...options, config, pooling: head.pooling });
  }

  /** [texts, size], in the order the texts were given. */
  get embeddings(): Value {
    return this.rows;
  }
}

/** Both sides of a step: their rows, and the feeds that make them. */
export interface TwoSides {
  queries: Value;
  documents: Value;
  learned: Value[];
  feeds(
    batch: Pick<RetrievalBatch, 'queries' | 'documents' | 'documentRows'>,
    random: StepRandom,
  ): Record<string, DenseTensor>;
}

export interface TowersOptions {
  spec: EncoderSpec;
  towers: Towers;
  /** Length groups in a batch: more means less padding, and more but smaller attention products. */
  groups: number;
  dropout?: boolean;
  /** The dimensions that count the rows of each side. */
  dims: { queries: string; documents: string };
  /** Whether the rows of documents are fed, because their tower does not learn. */
  storedDocuments?: boolean;
}

export function buildTowers(graph: Graph, options: TowersOptions): TwoSides {
  if (options.storedDocuments) return queryTower(graph, options);
  return options.towers === 'shared' ? sharedTower(graph, options) : twoTowers(graph, options);
}

function sharedTower(graph: Graph, { spec, groups, dropout, dims }: TowersOptions): TwoSides {
  const tower = new Tower(graph, { spec, prefix: TOWER_PREFIX.shared.queries, groups, dropout });
  const [queries, documents] = split(tower.embeddings, { axis: 0, sizes: [dims.queries, dims.documents] });
  return {
    queries,
    documents,
    learned: tower.learned,
    feeds: (texts, random) => tower.feeds([...texts.queries, ...texts.documents], random),
  };
}

function twoTowers(graph: Graph, { spec, groups, dropout, dims }: TowersOptions): TwoSides {
  const size = embeddingSize(spec);
  // Queries are short and of one kind: a single group serves them.
  const query = new Tower(graph, { spec, prefix: TOWER_PREFIX.two.queries, groups: 1, dropout });
  const document = new Tower(graph, { spec, prefix: TOWER_PREFIX.two.documents, groups, dropout });
  return {
    queries: reshape(query.embeddings, [dims.queries, size]),
    documents: reshape(document.embeddings, [dims.documents, size]),
    learned: [...query.learned, ...document.learned],
    feeds: (texts, random) => ({
      ...query.feeds(texts.queries, random),
      ...document.feeds(texts.documents, random),
    }),
  };
}

/** Where documents are encoded once and for all, only the queries' tower is computed (ADORE, Zhan et al. 2021). */
function queryTower(graph: Graph, { spec, dropout, dims }: TowersOptions): TwoSides {
  const size = embeddingSize(spec);
  const tower = new Tower(graph, { spec, prefix: TOWER_PREFIX.two.queries, groups: 1, dropout });
  return {
    queries: reshape(tower.embeddings, [dims.queries, size]),
    documents: graph.input('document rows', [dims.documents, size]),
    learned: tower.learned,
    feeds: ({ queries, documentRows }, random) => ({
      ...tower.feeds(queries, random),
      'document rows': {
        shape: [documentRows!.vectors.length / size, size],
        data: documentRows!.vectors,
      },
    }),
  };
}
