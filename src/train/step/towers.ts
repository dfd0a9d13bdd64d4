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
import type { TokenizedText } from '../../model/encoder/packed-batch.js';
import type { Towers } from '../../recipe/recipe.js';
import { QUERIES } from './objective.js';
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

/** Both sides of a step: their embeddings, and the feeds that make them. */
export interface TwoSides {
  queries: Value;
  documents: Value;
  learned: Value[];
  feeds(
    texts: { queries: readonly TokenizedText[]; documents: readonly TokenizedText[] },
    random: StepRandom,
  ): Record<string, DenseTensor>;
}

export function buildTowers(
  graph: Graph,
  options: { spec: EncoderSpec; towers: Towers; groups: number; dropout?: boolean; documents: string },
): TwoSides {
  const { spec, towers, groups, dropout, documents: documentsDim } = options;
  const size = embeddingSize(spec);
  const prefixes = TOWER_PREFIX[towers];
  if (towers === 'shared') {
    const tower = new Tower(graph, { spec, prefix: prefixes.queries, groups, dropout });
    const [queries, documents] = split(tower.embeddings, { axis: 0, sizes: [QUERIES, documentsDim] });
    return {
      queries,
      documents,
      learned: tower.learned,
      feeds: (texts, random) => tower.feeds([...texts.queries, ...texts.documents], random),
    };
  }
  // Queries are short and of one kind: a single group serves them.
  const query = new Tower(graph, { spec, prefix: prefixes.queries, groups: 1, dropout });
  const document = new Tower(graph, { spec, prefix: prefixes.documents, groups, dropout });
  return {
    queries: reshape(query.embeddings, [QUERIES, size]),
    documents: reshape(document.embeddings, [documentsDim, size]),
    learned: [...query.learned, ...document.learned],
    feeds: (texts, random) => ({
      ...query.feeds(texts.queries, random),
      ...document.feeds(texts.documents, random),
    }),
  };
}
