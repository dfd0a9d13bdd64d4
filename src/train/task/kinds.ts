import { tasks } from '../../recipe/axes.js';
import { kindOptions } from '../../recipe/kind-options.js';
import { openGeneration } from './generation.js';
import { openMlm } from './hidden-words/mlm.js';
import { openRetroMae } from './hidden-words/retromae.js';
import { openMoco } from './moco.js';
import { openRetrieval } from './retrieval.js';
import type { OpenTask, StageContext, Task } from './task.js';
import { openTermWeights } from './term-weights.js';

/** How the tasks that come with nearmiss are opened; those of others say it themselves. */
const OPEN: Record<string, OpenTask> = {
  retrieval: openRetrieval,
  moco: openMoco as OpenTask,
  mlm: openMlm as OpenTask,
  retromae: openRetroMae as OpenTask,
  generate: openGeneration as OpenTask,
  'term-weights': openTermWeights as OpenTask,
};

/** Opens what a stage learns. */
export function openTask(context: StageContext): Promise<Task> {
  const { task } = context.stage;
  const kind = tasks.get(task.name);
  const open = OPEN[kind.name] ?? (kind.open as OpenTask);
  return open(kindOptions(kind, task), context);
}
