import { modelKinds } from '../../model/kinds.js';
import { pooledRow } from '../../model/representation/kinds.js';
import { tasks } from '../axes.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';

/** Finds what a stage's task cannot do with the recipe's model. */
export function checkTask({ model, stages }: Recipe, index: number): Problem[] {
  const { task, freeze } = stages[index];
  const problems: Problem[] = [];
  const error = (message: string, hint: string): number =>
    problems.push({ level: 'error', keys: ['stages', index, 'task'], message, hint });
  const { noun, readsPairs, writes = false, weighs = false } = modelKinds.get(model.kind);
  const kind = tasks.get(task.name);
  // Models that write learn to write, those that weigh words to weigh them, and no others do.
  if (writes !== (kind.writes ?? false) || weighs !== (kind.weighs ?? false)) {
    const own = writes ? 'generate' : weighs ? 'term-weights' : undefined;
    const wanted = kind.writes ? 'seq2seq' : 'terms';
    error(
      `${noun} cannot learn the task ${kind.name}`,
      own ? `set task: ${own}` : `set model.kind=${wanted}, or leave out the task`,
    );
    return problems;
  }
  const why = readsPairs ? kind.needsVectors?.(task as never) : undefined;
  if (why !== undefined) error(`${noun} ${why}`, 'set model.kind=dual');
  const frozen = freeze.filter((part) => part === 'queries' || part === 'documents');
  if (task.projector && frozen.length > 0) {
    error(
      `vectors of ${frozen.join(' and ')} that do not learn have no projector on them, and those of the other side would`,
      'leave out projector, or let both sides learn',
    );
  }
  if (kind.oneVector && model.passages.mode === 'max') {
    error(`${kind.name} has one vector of a document, and MaxP several`, 'set model.passages.mode=first');
  }
  const { pooling } = model.head;
  if (kind.pools && pooling !== undefined && !pooledRow({ pooling })) {
    error(
      `${kind.name} is for one vector a text that its states are summed to, got ${pooling}`,
      'set model.head.pooling=mean, or first',
    );
  }
  if (kind.oneEncoder && model.towers === 'two') {
    error(
      `${kind.name} is for one encoder, and queries and documents have one each`,
      'set model.towers=shared, and start a run with two towers from its model',
    );
  }
  return problems;
}
