import type { StageContext } from '../task/task.js';

/** What a maker works with. */
export interface MakeContext extends StageContext {
  /** The folder to fill, which appears under its name when it is complete. */
  folder: string;
  /** Where unfinished work is kept: whoever goes on after a kill finds it again. */
  scratch: string;
  /** Told how far it is; looks whether the run is to stop. */
  progress(done: number, total: number): Promise<void>;
  /** Aborted as soon as `progress` or `shouldStop` has found that the run is to stop: whoever throws then has stopped. */
  signal: AbortSignal;
  /** Told what people may want to know of the result, by name. */
  tell(figures: Record<string, number>): void;
}
