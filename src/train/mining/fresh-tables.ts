import { CandidateTable } from '../../negatives/index.js';
import { checkpointStepBefore } from '../../run/plan.js';
import { waitFor } from '../../run/run-directory.js';
import type { StageContext } from '../task/task.js';

/** What the Inferencer has mined with a checkpoint. */
export interface FreshTable {
  version: number;
  table: CandidateTable;
}

/**
 * The candidates that the Inferencer publishes: in `async` mode the newest version is taken as soon as it is there; in
 * `lockstep` each step has the one version that belongs to it, and waits for it.
 */
export class FreshTables {
  readonly #context: StageContext;
  #current: FreshTable | undefined;

  constructor(context: StageContext) {
    this.#context = context;
  }

  /** Those that serve a step, or `undefined` where waiting for them was given up. */
  async at(step: number): Promise<FreshTable | undefined> {
    const version = await this.#nextVersion(step);
    if (version === undefined) return undefined;
    if (version !== this.#current?.version) {
      const { run, data, events } = this.#context;
      const table = await CandidateTable.load(run.stepPath('negatives', version), data.tables);
      this.#current = { version, table };
      await events.write({ type: 'negatives', step, version, age: step - version });
    }
    return this.#current;
  }

  async #nextVersion(step: number): Promise<number | undefined> {
    const { run, recipe, plan, stage, events, shouldStop } = this.#context;
    const needed = checkpointStepBefore(plan, step, recipe.checkpoint.every);
    const lockstep = recipe.refresh.mode === 'lockstep';
    const find = async (): Promise<number | undefined> => {
      if (lockstep)
        return this.#current?.version === needed || (await run.has('negatives', needed)) ? needed : undefined;
      const newest = (await run.steps('negatives')).at(-1);
      return newest !== undefined && newest >= stage.start ? newest : undefined;
    };
    const ready = await find();
    if (ready !== undefined) return ready;
    await events.write({ type: 'wait', step, for: `negatives of checkpoint ${needed}` });
    return waitFor(find, { stop: shouldStop });
  }
}
