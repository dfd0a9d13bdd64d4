import type { DocumentExcerpt } from '../document-excerpt.js';
import type { PointKind } from './kinds.js';

export const PROJECTIONS = ['tsne', 'umap'] as const;

export type Projection = (typeof PROJECTIONS)[number];

/** A point of a picture: the query itself, or a document. */
export interface SpacePoint extends DocumentExcerpt {
  kind: PointKind;
  /** From 1, in the lists of the model and of BM25 that found it. */
  ranks: { ann?: number; bm25?: number };
}

/** Where one checkpoint puts the points. */
export interface SpaceMap {
  step: number;
  /** Of each point. */
  x: number[];
  y: number[];
  /** The document's score for the query; `null` for the query itself. */
  scores: (number | null)[];
}

/** A query among its positives and negatives, by the model as it started and as a checkpoint has it (ANCE, Fig. 1, 7). */
export interface SpacePicture {
  format: 1;
  query: { id: string; text: string; splits: string[] };
  method: Projection;
  step: number;
  /** The query comes first. */
  points: SpacePoint[];
  /** In the order of their steps. */
  maps: SpaceMap[];
}
