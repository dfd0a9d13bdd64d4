import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EncoderModel } from '../../src/model/index.js';
import { bothRoles, eventsOf, startRun } from '../../src/train/run.fixture.js';
import { writeSynonyms } from '../../src/train/synonyms.fixture.js';

/** Steps over which a loss is averaged. */
const SPAN = 3;

/** Trains from `init` by a recipe, on a small collection made up for it; the run's best model is a folder. */
export async function shortTraining(options: {
  model: EncoderModel;
  init: string;
  /** For the collection and the run. */
  folder: string;
  steps: number;
}): Promise<{ losses: { before: number; after: number }; best: string }> {
  const { model, init, folder, steps } = options;
  const data = join(folder, 'data');
  if (!existsSync(data)) await writeSynonyms(data, { words: 8, seed: 1 });
  const run = await startRun(folder, `run-${model.name}`, {
    recipe: 'base',
    set: [
      ...[`model.init=${init}`, `model.layers=${model.spec.config.layers}`, 'optimizer.warmupSteps=1'],
      ...['batch.queries=8', 'evaluation.measures=[RR@10]', `stages.train.steps=${steps}`],
      `checkpoint.every=${steps}`,
    ],
  });
  await bothRoles(run);
  const losses = (await eventsOf(run, 'trainer')).flatMap((event) =>
    event.type === 'step' ? event.loss : [],
  );
  const mean = (values: number[]): number =>
    Number((values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(4));
  return {
    losses: { before: mean(losses.slice(0, SPAN)), after: mean(losses.slice(-SPAN)) },
    best: run.file('best'),
  };
}
