import type { SourceEvidence } from '../run/events.js';
import { type PlannedStage, sourcesOf } from '../run/plan.js';
import type { Learner } from './learner.js';
import type { BatchMaker, CountedSource } from './task/batch-maker.js';
import { onlySource } from './task/only-source.js';

export interface EvidenceTakerOptions {
  learner: Learner;
  batches: BatchMaker;
  stage: PlannedStage;
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
   * which changes the weights. The batch is made again by itself, so that the step's time stays its own.
   */
  async at(step: number, sources: readonly CountedSource[]): Promise<SourceEvidence[] | undefined> {
    const { learner, batches, stage, every } = this.#options;
    const names = sourcesOf(stage);
    if (every === 0 || names.length < 2 || (step - stage.start) % every !== 0) return undefined;
    const made = await batches.at(step, sources);
    const parts = names.map((source) => ({
      source,
      // A source that some of the accumulated batches lack has no loss there.
      batches: made.flatMap((batch) => onlySource(batch, source) ?? []),
    }));
    const complete = parts.filter((part) => part.batches.length === made.length);
    if (complete.length < 2) return undefined;
    const evidence: SourceEvidence[] = [];
    for (const part of complete) {
      const { loss, gradientNorm, groupNorms } = await learner.measure(step, part.batches);
      evidence.push({ source: part.source, loss, gradientNorm, groupNorms });
    }
    return evidence;
  }
}
