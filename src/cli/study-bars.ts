import type { StudyProgress } from '../analyze/study-progress.js';
import { Progress } from '../base/progress.js';

/** One progress bar for each part of a study, the newest in the place of the one before. */
export class StudyBars {
  readonly #stream: NodeJS.WriteStream;
  #shown: { part: string; bar: Progress; done: number } | undefined;

  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  /** Says what is begun, where nobody knows yet how long it takes. */
  begin(part: string): void {
    this.show({ part, done: 0, total: 0 });
  }

  show({ part, done, total }: StudyProgress): void {
    if (this.#shown?.part !== part) {
      const bar = new Progress({ label: part, total, stream: this.#stream });
      this.#shown = { part, bar, done: 0 };
      bar.begin();
    }
    this.#shown.bar.advance(done - this.#shown.done);
    this.#shown.done = done;
  }

  /** Leaves the line to others. */
  clear(): void {
    this.#shown?.bar.clear();
  }
}
