import { type Kind, Registry } from '../base/registry.js';

/** A value of the task axis: what a stage learns. `train/task/` knows what it opens. */
export interface TaskKind extends Kind {
  /** The parts of a stage's recipe that mean something to it; a recipe that gives others is wrong. */
  readonly takes: readonly ('negatives' | 'loss' | 'teacher' | 'examples' | 'batch')[];
  open(options: never, stage: never): Promise<unknown>;
}

/** A stage that makes data instead of learning: mines, labels, clusters, merges … `train/make/` knows what it opens. */
export interface MakerKind extends Kind {
  make(options: never, stage: never): Promise<void>;
}

/** All that a stage can learn. */
export const tasks = new Registry<TaskKind>('task');

/** All that a stage can make. */
export const makers = new Registry<MakerKind>('maker');
