import type { SourceEvidence } from '../run/events.js';
import type { Learner } from './learner.js';
import type { Batch } from './task/batch.js';
import type { Task } from './task/task.js';

export interface EvidenceTakerOptions {
  learner: Learner<Batch>;
  task: Task;
  /** The stage's first step. */
  start: number;
  /** Steps between measurements, from the stage's first step on; 0 for none. */
  every: number;
}

/**
 * Measures what each source of a stage's negatives teaches by itself (Fig. 4 of the ANCE paper), as the step's own
 * numbers cannot tell them apart. With one source they are that source's, and nothing is measured.
 */
export class EvidenceTaker {
  readonly #options: EvidenceTakerOptions;

  constructor(options: EvidenceTakerOptions) {
    this.#options = options;
  }

  /**
   * What the sources of a step teach, or `undefined` where it is not measured. To be called before the step's update,
   * which changes the weights.
   */
  async at(step: number, batches: readonly Batch[]): Promise<SourceEvidence[] | undefined> {
    const { learner, task, start, every } = this.#options;
    if (every === 0 || (step - start) % every !== 0) return undefined;
    const parts = task.bySource?.(batches);
    if (!parts) return undefined;
    const evidence: SourceEvidence[] = [];
    for (const part of parts) {
      const { loss, gradientNorm, groupNorms } = await learner.measure(step, part.batches);
      evidence.push({ source: part.source, loss, gradientNorm, groupNorms });
    }
    return evidence;
  }
}
