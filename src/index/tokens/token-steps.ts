import type { OnTokenProgress } from './write-token-index.js';

/** Something that shows how far a step is, e.g. a bar. */
export interface ShownStep {
  advance(units: number): void;
  finish(): void;
}

const STEPS: Record<Parameters<OnTokenProgress>[0], { label: string; unit: string }> = {
  sample: { label: 'draw a sample of tokens', unit: 'tokens' },
  cluster: { label: 'learn centroids', unit: 'rounds' },
  pack: { label: 'compress tokens', unit: 'tokens' },
};

/** Shows one after another the steps in which an index of tokens is built; nothing of rows that are kept as they are. */
export class TokenSteps {
  readonly #begin: (step: { label: string; unit: string; total: number }) => ShownStep | undefined;
  #step: Parameters<OnTokenProgress>[0] | undefined;
  #shown: ShownStep | undefined;
  #done = 0;

  constructor(begin: (step: { label: string; unit: string; total: number }) => ShownStep | undefined) {
    this.#begin = begin;
  }

  readonly onProgress: OnTokenProgress = (step, done, total) => {
    if (step !== this.#step) {
      this.finish();
      this.#step = step;
      this.#shown = this.#begin({ ...STEPS[step], total });
    }
    this.#shown?.advance(done - this.#done);
    this.#done = done;
  };

  /** After the last step. */
  finish(): void {
    this.#shown?.finish();
    this.#shown = undefined;
    this.#done = 0;
  }
}
