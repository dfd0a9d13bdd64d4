import type { DenseTensor, Graph, Value } from '../../engine/index.js';
import type { EncoderSpec } from '../../model/encoder/encoder-graph.js';
import type { TokenizedText } from '../../model/encoder/tokenized-texts.js';
import { representationOf } from '../../model/representation/kinds.js';
import {
  mostRows,
  type Representation,
  readAs,
  rowOffsets,
} from '../../model/representation/representation.js';
import type { Rows, Scorer } from '../../model/scorer/scorer.js';
import type { Side } from '../../model/side.js';
import type { Towers } from '../../recipe/recipe.js';
import { LEAST_DOCUMENTS, type RetrievalBatch, tokenCount } from '../task/batch.js';
import type { BuildScores, TextRows } from './batch-scores.js';
import { DOCUMENTS, QUERIES } from './objective.js';
import { buildTowers } from './towers.js';

export interface TowerScoresOptions {
  spec: EncoderSpec;
  /** Default `shared`. */
  towers?: Towers;
  scorer: Scorer;
  /** Most pieces of a document (MaxP). Default 1. */
  maxPieces?: number;
  /** Length groups in a batch. Default {@link LEAST_DOCUMENTS}. */
  groups?: number;
  dropout?: boolean;
  /** Whether a layer that is no part of the model is on the rows. */
  projector?: boolean;
  /** The sides that come as rows, because their towers do not learn. Default none. */
  frozen?: readonly Side[];
}

/** The rows of both sides and how their scores are made, for graphs that have all at once and for those that have parts. */
export class RowScores {
  readonly #options: TowerScoresOptions;
  readonly #sides: Record<Side, Representation>;
  readonly #most: Record<Side, number>;

  constructor(options: TowerScoresOptions) {
    const { spec, maxPieces = 1 } = options;
    this.#options = options;
    this.#sides = {
      queries: representationOf(spec.head, 'queries'),
      documents: representationOf(spec.head, 'documents'),
    };
    const { queries, documents } = this.#sides;
    this.#most = { queries: mostRows(queries), documents: mostRows(documents) * maxPieces };
  }

  /** The dimensions that count the rows of each side: that of its texts where each has one. */
  get dims(): Record<Side, string> {
    const { queries, documents } = this.#most;
    return {
      queries: queries > 1 ? 'query rows' : QUERIES,
      documents: documents > 1 ? 'pieces' : DOCUMENTS,
    };
  }

  build(graph: Graph, sides: Record<Side, Value>, scale: number): Value {
    const queries: Rows = { value: sides.queries, texts: QUERIES, mostRows: this.#most.queries };
    const documents: Rows = { value: sides.documents, texts: DOCUMENTS, mostRows: this.#most.documents };
    return this.#options.scorer.build(graph, queries, documents, scale);
  }

  /** The rows where each text has one. */
  ofTexts({ queries, documents }: { queries: Value; documents: Value }): TextRows | undefined {
    if (this.#most.documents > 1) return undefined;
    return { queries, documents, normalized: this.#options.spec.head.normalize };
  }

  feeds(batch: RetrievalBatch): Record<string, DenseTensor> {
    const { rows, pieceOffsets } = batch;
    const pieces = (): Uint32Array => {
      const offsets = this.#offsets('documents', batch.documents);
      return pieceOffsets ? Uint32Array.from(pieceOffsets, (piece) => offsets[piece]) : offsets;
    };
    const offsets = {
      queries: rows?.queries?.offsets ?? this.#offsets('queries', batch.queries),
      documents: rows?.documents?.offsets ?? pieces(),
    };
    return this.#options.scorer.feeds(offsets, this.#most);
  }

  /** Which rows are whose. */
  #offsets(side: Side, texts: readonly TokenizedText[]): Uint32Array {
    const representation = this.#sides[side];
    const read = texts.map((text) => readAs(representation, text));
    return rowOffsets(representation, read);
  }
}

/** Encodes queries and documents, each by itself, and compares their rows. */
export function towerScores(options: TowerScoresOptions): BuildScores {
  const { spec, towers = 'shared', groups = LEAST_DOCUMENTS, dropout, projector, frozen } = options;
  const rows = new RowScores(options);
  return (graph, scale) => {
    const sides = buildTowers(graph, { spec, towers, groups, dropout, projector, frozen, dims: rows.dims });
    return {
      scores: rows.build(graph, sides, scale),
      rows: rows.ofTexts(sides),
      learned: sides.learned,
      feeds: (batch, random) => ({
        feeds: { ...sides.feeds(batch, random), ...rows.feeds(batch) },
        tokens: tokenCount(batch),
      }),
    };
  };
}
