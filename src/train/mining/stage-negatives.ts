import { CandidateTable, type NegativeSource, RandomSource, TableSource } from '../../negatives/index.js';
import type { NegativesRecipe, Recipe } from '../../recipe/recipe.js';
import type { EventWriter } from '../../run/events.js';
import { annOf, checkpointStepBefore, type Plan, type PlannedStage } from '../../run/plan.js';
import { type RunDirectory, waitFor } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';
import type { CountedSource } from '../task/batch-maker.js';
import { staticCandidates } from './static-candidates.js';

export interface StageNegativesOptions {
  run: RunDirectory;
  recipe: Recipe;
  plan: Plan;
  stage: PlannedStage;
  data: TrainingData;
  events: EventWriter;
  /** Gives up waiting for the Inferencer. */
  shouldStop: () => Promise<boolean>;
}

/**
 * A stage's sources of negatives at each step. The ANN source changes whenever the Inferencer publishes: in `async`
 * mode the newest version is taken as soon as it is there; in `lockstep` each step has the one version that belongs
 * to it, and waits for it.
 */
export class StageNegatives {
  readonly #options: StageNegativesOptions;
  #fixed: CountedSource[] | undefined;
  #ann: CountedSource | undefined;
  #version: number | undefined;

  constructor(options: StageNegativesOptions) {
    this.#options = options;
  }

  /** The step of the checkpoint that the present ANN negatives were mined with. */
  get version(): number | undefined {
    return this.#version;
  }

  /** The sources for a step, or `undefined` where waiting for them was given up. */
  async sourcesAt(step: number): Promise<CountedSource[] | undefined> {
    this.#fixed ??= await this.#openFixed(step);
    const ann = annOf(this.#options.stage);
    if (!ann) return this.#fixed;
    const version = await this.#nextVersion(step);
    if (version === undefined) return undefined;
    if (version !== this.#version) await this.#switchTo(version, step, ann);
    return [...this.#fixed, this.#ann!];
  }

  async #nextVersion(step: number): Promise<number | undefined> {
    const { run, recipe, plan, stage, events, shouldStop } = this.#options;
    const needed = checkpointStepBefore(plan, step, recipe.checkpoint.every);
    const lockstep = recipe.refresh.mode === 'lockstep';
    const find = async (): Promise<number | undefined> => {
      if (lockstep)
        return this.#version === needed || (await run.has('negatives', needed)) ? needed : undefined;
      const newest = (await run.steps('negatives')).at(-1);
      return newest !== undefined && newest >= stage.start ? newest : undefined;
    };
    const ready = await find();
    if (ready !== undefined) return ready;
    await events.write({ type: 'wait', step, for: `negatives of checkpoint ${needed}` });
    return waitFor(find, { stop: shouldStop });
  }

  async #switchTo(version: number, step: number, recipe: NegativesRecipe): Promise<void> {
    const { run, data } = this.#options;
    const table = await CandidateTable.load(run.stepPath('negatives', version), data.tables);
    this.#ann = counted(new TableSource({ table, name: 'ann', sampling: recipe.sampling }), recipe);
    this.#version = version;
    await this.#options.events.write({ type: 'negatives', step, version, age: step - version });
  }

  async #openFixed(step: number): Promise<CountedSource[]> {
    const { run, data, stage, events } = this.#options;
    const sources: CountedSource[] = [];
    for (const recipe of stage.negatives) {
      if (recipe.source === 'random') sources.push(counted(randomSource(data), recipe));
      if (recipe.source === 'bm25' || recipe.source === 'static') {
        const { source, sampling } = recipe;
        const table = await staticCandidates(run, data, { ...recipe, source }, (mined) =>
          events.write({ ...mined, step }),
        );
        sources.push(counted(new TableSource({ table, name: source, sampling }), recipe));
      }
    }
    return sources;
  }
}

/** Draws from anywhere in a run's collection. */
export function randomSource(data: TrainingData): NegativeSource {
  const positives = (query: number): Int32Array => data.training[query].positives;
  return new RandomSource({ documentCount: data.documents.count, positives });
}

function counted(source: NegativeSource, { count }: NegativesRecipe): CountedSource {
  return { source, count };
}
