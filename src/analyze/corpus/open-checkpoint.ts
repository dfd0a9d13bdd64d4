import { NearmissError } from '../../base/errors.js';
import { Progress } from '../../base/progress.js';
import type { SessionOptions } from '../../engine/index.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { Encoder } from '../../model/index.js';
import type { Recipe } from '../../recipe/recipe.js';
import { ExactCorpus } from '../../run/exact-corpus.js';
import { modelFolder } from '../../run/model-folder.js';
import { openRun } from '../../run/open-run.js';
import { type Plan, type PlannedStage, planRun, stageAt } from '../../run/plan.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { TrainingData } from '../../run/training-data.js';

export interface OpenCheckpointOptions {
  run: RunDirectory;
  /** The checkpoint to look at. Default: the newest whose index is there. */
  step?: number;
  session: SessionOptions;
  quiet?: boolean;
}

/** A checkpoint of a run, and the collection as it encodes it. Nothing that the run itself reads is written. */
export interface OpenCheckpoint {
  run: RunDirectory;
  recipe: Recipe;
  plan: Plan;
  /** The stage whose loss and negatives belong to the checkpoint. */
  stage: PlannedStage;
  step: number;
  data: TrainingData;
  queryEncoder: Encoder;
  corpus: ExactCorpus;
  session: SessionOptions;
  close(): Promise<void>;
}

export async function openCheckpoint({
  run,
  step: wanted,
  session,
  quiet,
}: OpenCheckpointOptions): Promise<OpenCheckpoint> {
  const step = wanted ?? (await newestStep(run));
  const folder = await modelFolder(run, step);
  const { data, description } = await openRun(run.path, { data: run.data, quiet });
  const { recipe } = description;
  const plan = planRun(recipe);
  const progress = new Progress({
    label: `encode with step ${step}`,
    total: data.documents.count,
    unit: 'documents',
    quiet,
  });
  let encoded = 0;
  const corpus = await ExactCorpus.open({
    run,
    step,
    data,
    session,
    onProgress: (done) => {
      progress.advance(done - encoded);
      encoded = done;
    },
  });
  const queryEncoder = await Encoder.create(await loadSide(folder, 'queries'), { session });
  return {
    run,
    recipe,
    plan,
    stage: stageAt(plan, step),
    step,
    data,
    queryEncoder,
    corpus,
    session,
    async close() {
      await queryEncoder.release();
      await corpus.close();
      await data.documents.cache.close();
      await data.queries.cache.close();
    },
  };
}

async function newestStep(run: RunDirectory): Promise<number> {
  const [indexed, saved] = [await run.steps('index'), await run.steps('checkpoints')];
  const step = indexed.findLast((candidate) => saved.includes(candidate)) ?? saved.at(-1);
  if (step !== undefined) return step;
  throw new NearmissError(`${run.path}: this run has no checkpoint yet`, {
    hint: 'start it with `nearmiss train --out RUN`, or wait for its first checkpoint; `--only curves` needs none',
  });
}
