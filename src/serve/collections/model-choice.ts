import { basename } from 'node:path';
import { isRun } from '../../run/run-description.js';
import { readChosenRun, writeChosenRun } from '../../search/open/chosen-model.js';

/** Whose model comes next: a run's folder, or the usual one. */
type Wanted = { run: string | undefined };

/**
 * Which model a collection is searched with: that of one of its runs, when somebody has chosen it, else the usual one. A
 * choice holds, also for the command line and after the server, from the moment on when its model answers. One whose
 * vectors were being made when the server ended is {@link unfinished} for the next.
 */
export class ModelChoice {
  readonly #cache: string;
  #chosen: string | undefined;
  #coming: Wanted | undefined;
  /** The folder of the run that an earlier server did not get to use. */
  readonly unfinished: string | undefined;

  private constructor(cache: string, chosen: string | undefined, unfinished: string | undefined) {
    this.#cache = cache;
    this.#chosen = chosen;
    this.unfinished = unfinished;
  }

  /** @param cache of the collection */
  static async open(cache: string): Promise<ModelChoice> {
    const [chosen, coming] = await Promise.all([
      existingRun(readChosenRun(cache)),
      existingRun(readChosenRun(cache, 'coming')),
    ]);
    return new ModelChoice(cache, chosen, coming);
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
   * @param end aborted when the server ends: then the next one goes on
   */
  async change(
    run: string | undefined,
    takeOver: () => Promise<unknown>,
    { end }: { end?: AbortSignal } = {},
  ): Promise<void> {
    this.#coming = { run };
    try {
      await writeChosenRun(this.#cache, run, 'coming');
      await takeOver();
      await writeChosenRun(this.#cache, run);
      this.#chosen = run;
    } finally {
      this.#coming = undefined;
      if (this.#chosen === run || !end?.aborted) await writeChosenRun(this.#cache, undefined, 'coming');
    }
  }
}

async function existingRun(found: Promise<string | undefined>): Promise<string | undefined> {
  const run = await found;
  return run !== undefined && (await isRun(run)) ? run : undefined;
}
