import { tasks } from '../../recipe/axes.js';
import { kindOptions } from '../../recipe/kind-options.js';
import { retrievalKind } from './retrieval.js';
import type { OpenableTask, StageContext, Task } from './task.js';

tasks.register(retrievalKind);

/** Opens what a stage learns. */
export function openTask(context: StageContext): Promise<Task> {
  const { task } = context.stage;
  const kind = tasks.get(task.name) as unknown as OpenableTask;
  return kind.open(kindOptions(kind, task), context);
}
