import type { DenseTensor, Graph, Value } from '../../engine/index.js';
import type { EncoderSpec } from '../../model/encoder/encoder-graph.js';
import type { Side } from '../../model/folder/tower-folders.js';
import type { RowOffsets, Rows, Scorer } from '../../model/scorer/scorer.js';
import type { Towers } from '../../recipe/recipe.js';
import { documentCount, queryCount, type RetrievalBatch, tokenCount } from '../task/batch.js';
import type { BuildScores } from './batch-scores.js';
import { DOCUMENTS, QUERIES } from './objective.js';
import { buildTowers } from './towers.js';

export interface TowerScoresOptions {
  spec: EncoderSpec;
  /** Default `shared`. */
  towers?: Towers;
  scorer: Scorer;
  /** Most pieces of a document (MaxP). Default 1. */
  maxPieces?: number;
  /** Length groups in a batch. Default 3. */
  groups?: number;
  dropout?: boolean;
  /** The sides that come as rows, because their towers do not learn. Default none. */
  frozen?: readonly Side[];
}

/** The rows of both sides and how their scores are made, for graphs that have all at once and for those that have parts. */
export class RowScores {
  readonly #options: TowerScoresOptions;
  readonly #most: Record<Side, number>;

  constructor(options: TowerScoresOptions) {
    this.#options = options;
    this.#most = { queries: 1, documents: options.maxPieces ?? 1 };
  }

  /** The dimensions that count the rows of each side: that of its texts where each has one. */
  get dims(): Record<Side, string> {
    return { queries: QUERIES, documents: this.#most.documents > 1 ? 'pieces' : DOCUMENTS };
  }

  build(graph: Graph, sides: Record<Side, Value>, scale: number): Value {
    const queries: Rows = { value: sides.queries, texts: QUERIES, mostRows: this.#most.queries };
    const documents: Rows = { value: sides.documents, texts: DOCUMENTS, mostRows: this.#most.documents };
    return this.#options.scorer.build(graph, queries, documents, scale);
  }

  feeds(batch: RetrievalBatch): Record<string, DenseTensor> {
    const offsets = {
      queries: batch.rows?.queries?.offsets ?? oneEach(queryCount(batch)),
      documents: batch.rows?.documents?.offsets ?? batch.pieceOffsets ?? oneEach(documentCount(batch)),
    };
    return this.#options.scorer.feeds(offsets, this.#most);
  }
}

function oneEach(count: number): RowOffsets {
  return Array.from({ length: count + 1 }, (_, i) => i);
}

/** Encodes queries and documents, each by itself, and compares their rows. */
export function towerScores(options: TowerScoresOptions): BuildScores {
  const { spec, towers = 'shared', groups = 3, dropout, frozen } = options;
  const rows = new RowScores(options);
  return (graph, scale) => {
    const sides = buildTowers(graph, { spec, towers, groups, dropout, frozen, dims: rows.dims });
    return {
      scores: rows.build(graph, sides, scale),
      learned: sides.learned,
      feeds: (batch, random) => ({
        feeds: { ...sides.feeds(batch, random), ...rows.feeds(batch) },
        tokens: tokenCount(batch),
      }),
    };
  };
}
