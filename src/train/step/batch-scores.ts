import type { DenseTensor, Graph, Value } from '../../engine/index.js';
import type { StepRandom } from '../../model/encoder/dropout.js';
import type { RetrievalBatch } from '../task/batch.js';

/** A row for each text. */
export interface TextRows {
  queries: Value;
  documents: Value;
  /** Whether they have length 1. */
  normalized: boolean;
}

/** The scores of a batch inside a step's graph, however a model makes them. */
export interface BatchScores {
  /** [queries, documents] */
  scores: Value;
  /** The rows that they are made of, one for each text; none where texts are read in pairs or in pieces. */
  rows?: TextRows;
  /** The parameters that they depend on. */
  learned: Value[];
  /** What the graph is fed for a batch, and how many tokens that encodes, without padding. */
  feeds(batch: RetrievalBatch, random: StepRandom): { feeds: Record<string, DenseTensor>; tokens: number };
}

/** Adds a model and its scores, times `scale`, to a graph. */
export type BuildScores = (graph: Graph, scale: number) => BatchScores;
