import type { DenseTensor, Graph, Value } from '../../engine/index.js';
import type { EncoderSpec } from '../../model/encoder/encoder-graph.js';
import type { RowOffsets, Rows, Scorer } from '../../model/scorer/scorer.js';
import type { Towers } from '../../recipe/recipe.js';
import { documentCount, type RetrievalBatch, tokenCount } from '../task/batch.js';
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
  /** Documents come as rows that were stored: their tower does not learn. */
  storedDocuments?: boolean;
}

/** The rows of both sides and how their scores are made, for graphs that have all at once and for those that have parts. */
export class RowScores {
  readonly #options: TowerScoresOptions;
  readonly #most: { queries: number; documents: number };

  constructor(options: TowerScoresOptions) {
    this.#options = options;
    this.#most = { queries: 1, documents: options.maxPieces ?? 1 };
  }

  /** The dimensions that count the rows of each side: that of its texts where each has one. */
  get dims(): { queries: string; documents: string } {
    return { queries: QUERIES, documents: this.#most.documents > 1 ? 'pieces' : DOCUMENTS };
  }

  build(graph: Graph, sides: { queries: Value; documents: Value }, scale: number): Value {
    const queries: Rows = { value: sides.queries, texts: QUERIES, mostRows: this.#most.queries };
    const documents: Rows = { value: sides.documents, texts: DOCUMENTS, mostRows: this.#most.documents };
    return this.#options.scorer.build(graph, queries, documents, scale);
  }

  feeds(batch: RetrievalBatch): Record<string, DenseTensor> {
    const offsets = {
      queries: oneEach(batch.queries.length),
      documents: batch.documentRows?.offsets ?? batch.pieceOffsets ?? oneEach(documentCount(batch)),
    };
    return this.#options.scorer.feeds(offsets, this.#most);
  }
}

function oneEach(count: number): RowOffsets {
  return Array.from({ length: count + 1 }, (_, i) => i);
}

/** Encodes queries and documents, each by itself, and compares their rows. */
export function towerScores(options: TowerScoresOptions): BuildScores {
  const { spec, towers = 'shared', groups = 3, dropout, storedDocuments } = options;
  const rows = new RowScores(options);
  return (graph, scale) => {
    const sides = buildTowers(graph, { spec, towers, groups, dropout, storedDocuments, dims: rows.dims });
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
