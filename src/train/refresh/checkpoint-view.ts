import type { SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import type { NegativesRecipe, Recipe } from '../../recipe/recipe.js';
import type { RefreshEvent } from '../../run/events.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';

export interface CheckpointViewOptions {
  run: RunDirectory;
  recipe: Recipe;
  data: TrainingData;
  session: SessionOptions;
  /** Told how many texts were encoded, of how many. */
  onProgress?: (done: number, total: number) => void | Promise<void>;
  /** Ends the work where it is; what was finished stays. */
  signal?: AbortSignal;
}

/** The collection as one checkpoint sees it: what the Inferencer measures, and mines where the kind can. */
export interface CheckpointView {
  readonly step: number;
  /** Seconds spent so far, by part. */
  readonly seconds: Record<string, number>;
  /** The best `k` documents of each query, with ids as the collection has them. */
  rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>>;
  /** Mines the training queries whose turn it is and publishes the candidates of all. */
  publishNegatives(recipe: NegativesRecipe): Promise<RefreshEvent>;
  close(): Promise<void>;
}
