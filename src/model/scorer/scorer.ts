import type { z } from 'zod';
import type { Kind, OptionsOf } from '../../base/registry.js';
import type { DenseTensor, Graph, Value } from '../../engine/index.js';

/** The rows of the texts of one side inside a graph, text by text. */
export interface Rows {
  /** [rows, size] */
  value: Value;
  /** The named dimension that counts the texts. */
  texts: string;
  /** Most rows that a text may have. */
  mostRows: number;
}

/** Which rows belong to which text of a batch: those of text `i` start at `offsets[i]` and end before `offsets[i + 1]`. */
export type RowOffsets = ArrayLike<number>;

/** How the rows of a query and those of a document become a score. */
export interface Scorer {
  /** [queries, documents], each times `scale`. */
  build(graph: Graph, queries: Rows, documents: Rows, scale: number): Value;
  /** What {@link Scorer.build} wants to be fed besides the rows. */
  feeds(
    offsets: { queries: RowOffsets; documents: RowOffsets },
    most: { queries: number; documents: number },
  ): Record<string, DenseTensor>;
  /** The score of one pair, plainly: rows × dimension each. */
  score(query: Float32Array, document: Float32Array, dimension: number): number;
  /** Whether an index of rows finds its best documents: by the best inner product of any of their rows. */
  readonly bestInnerProduct: boolean;
  /** Whether it adds up the products of several rows, so that the scores of cosines go beyond 1. */
  readonly addsUp?: boolean;
  /** Whether a score of 0 says that query and document share nothing, so that it is no hit. */
  readonly zeroIsNoHit?: boolean;
}

/** A value of the scorer axis. */
export interface ScorerKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  create(options: OptionsOf<Shape>): Scorer;
}

/** Gives a kind's options their types. */
export function scorerKind<Shape extends z.ZodRawShape>(kind: ScorerKind<Shape>): ScorerKind {
  return kind as unknown as ScorerKind;
}
