import type { SessionOptions } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import type { FleetPlace } from '../../fleet/index.js';
import type { RankedList } from '../../negatives/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';

export interface CheckpointSearchOptions {
  run: RunDirectory;
  recipe: Recipe;
  data: TrainingData;
  session: SessionOptions;
  /** Told how many texts were encoded, of how many. */
  onProgress?: (done: number, total: number) => void | Promise<void>;
  /** Ends the work where it is; what was finished stays. */
  signal?: AbortSignal;
  /** Has the collection encoded by the workers of a queue. */
  fleet?: FleetPlace;
}

/** The collection as one checkpoint sees it: what is measured and mined. */
export interface CheckpointSearch {
  readonly step: number;
  /** Seconds spent so far, by part. */
  readonly seconds: Record<string, number>;
  /** The best `k` documents of each query, with ids as the collection has them. */
  rankings(queries: ArrayLike<number>, k: number): Promise<Map<string, Ranking>>;
  /** The same by numbers, query after query; `place` is the query's among those asked. Fails where it needs an index and has none. */
  search(queries: ArrayLike<number>, k: number): AsyncIterable<RankedList & { place: number }>;
  close(): Promise<void>;
}
