import { basename } from 'node:path';
import { isRun } from '../../run/run-description.js';
import { readChosenRun, writeChosenRun } from '../../search/open/chosen-model.js';

/** Whose model comes next: a run's folder, or the usual one. */
type Wanted = { run: string | undefined };

/**
 * Which model a collection is searched with: that of one of its runs, when somebody has chosen it, else the usual one. A
 * choice holds, also for the command line and after the server, from the moment on when its model answers.
 */
export class ModelChoice {
  readonly #cache: string;
  #chosen: string | undefined;
  #coming: Wanted | undefined;

  private constructor(cache: string, chosen: string | undefined) {
    this.#cache = cache;
    this.#chosen = chosen;
  }

  /** @param cache of the collection */
  static async open(cache: string): Promise<ModelChoice> {
    const run = await readChosenRun(cache);
    return new ModelChoice(cache, run !== undefined && (await isRun(run)) ? run : undefined);
  }

  /** The folder of the run whose model answers. */
  get run(): string | undefined {
    return this.#chosen;
  }

  /** What to call the one that is being opened. */
  get coming(): string | undefined {
    if (this.#coming === undefined) return undefined;
    return this.#coming.run === undefined ? 'the model as published' : basename(this.#coming.run);
  }

  /** The folder of the run whose model is to be opened. */
  get wanted(): string | undefined {
    return (this.#coming ?? { run: this.#chosen }).run;
  }

  /**
   * Changes the model.
   *
   * @param takeOver opens what is {@link wanted} and lets it answer
   */
  async change(run: string | undefined, takeOver: () => Promise<unknown>): Promise<void> {
    this.#coming = { run };
    try {
      await takeOver();
      await writeChosenRun(this.#cache, run);
      this.#chosen = run;
    } finally {
      this.#coming = undefined;
    }
  }
}
