import type { z } from 'zod';
import type { Kind, OptionsOf } from '../base/registry.js';
import type { Dataset } from '../data/index.js';
import type { RankedOptions } from './ranked-options.js';
import type { NegativeSupply, SupplyContext } from './supply.js';

/** A value of the negatives axis. Either it draws (`open`) or it says which documents of the batch count (`batch`). */
export interface NegativesKind<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** Negatives that cost nothing, because the batch has them anyway: all that are not relevant, or the best scored. */
  readonly batch?: 'batch' | 'hardest';
  /** Whether the Inferencer mines it from the model's own index, again and again. */
  readonly fresh?: boolean;
  /** Whether a stage may have several of it. */
  readonly repeatable?: boolean;
  /** Why it is not for models that make no vectors, as the end of "a cross-encoder …". */
  readonly needsVectors?: string;
  /** Whether it draws for training queries, of which it has rankings, and not for examples of other kinds. */
  readonly needsTrainingQueries?: boolean;
  /** Whether documents must not change in its stage, because it searches their vectors at each step. */
  readonly needsFrozenDocuments?: boolean;
  /** Asked before a run begins; fails with what is missing. */
  require?(options: OptionsOf<Shape>, dataset: Dataset): Promise<void>;
  open?(options: OptionsOf<Shape>, context: SupplyContext): Promise<NegativeSupply>;
}

/** Gives a kind's options their types. */
export function negativesKind<Shape extends z.ZodRawShape>(kind: NegativesKind<Shape>): NegativesKind {
  return kind as unknown as NegativesKind;
}

/** One source of negatives in a recipe: its kind, how many a query gets, and the kind's other options. */
export interface NegativesRecipe {
  source: string;
  /** Negatives for each query and step; none of kinds that draw nothing. */
  count?: number;
  [option: string]: unknown;
}

/** The options of a source that ranks. */
export function rankedOptionsOf(recipe: NegativesRecipe): RankedOptions & { file?: string } {
  return recipe as unknown as RankedOptions & { file?: string };
}
