import { type Kind, Registry } from '../base/registry.js';
import * as settings from '../base/settings.js';
import * as engine from '../engine/index.js';
import { optimizers } from '../engine/optimizer/kinds.js';
import { examples, orders } from '../examples/kinds.js';
import { losses } from '../loss/kinds.js';
import { representations } from '../model/representation/kinds.js';
import { scorers } from '../model/scorer/kinds.js';
import { negatives } from '../negatives/kinds.js';
import { teachers } from '../teacher/kinds.js';
import { clusterKind } from './makers/cluster-kind.js';
import { filterKind } from './makers/filter-kind.js';
import { generateKind } from './makers/generate-kind.js';
import { labelKind } from './makers/label-kind.js';
import { mergeKind } from './makers/merge-kind.js';
import { mineKind } from './makers/mine-kind.js';
import { pseudoLabelKind } from './makers/pseudo-label-kind.js';
import { trainKind } from './makers/train-kind.js';
import { generateTask } from './tasks/generate-task.js';
import { mlmTask } from './tasks/mlm-task.js';
import { mocoTask } from './tasks/moco-task.js';
import { retrievalTask } from './tasks/retrieval-task.js';
import { retroMaeTask } from './tasks/retromae-task.js';
import { termWeightsTask } from './tasks/term-weights-task.js';

/** The parts of a stage that a task may have a use for. */
export type TaskPart = 'negatives' | 'loss' | 'teacher' | 'examples' | 'batch';

/** A value of the task axis: what a stage learns. `train/task/` knows what it opens. */
export interface TaskKind extends Kind {
  /** The parts of a stage's recipe that mean something to it; a recipe that gives others is wrong. */
  readonly takes: readonly TaskPart[];
  /** Whether it is for models that write texts, and for them alone. */
  readonly writes?: boolean;
  /** Why it is not for models that make no vectors, as the end of "a cross-encoder …"; of options, only where they say so. */
  needsVectors?(options: never): string | undefined;
  /** Whether it has one vector of a document, and so no use for pieces of documents. */
  readonly oneVector?: boolean;
  /** Whether it is for one encoder of queries and documents alone. */
  readonly oneEncoder?: boolean;
  /** Whether it is for encoders alone that make one vector of a text by weighing its states. */
  readonly pools?: boolean;
  /** Whether it is for models that weigh words, and for them alone. */
  readonly weighs?: boolean;
  /** Left out by the tasks that come with nearmiss: recipes are read where nothing is trained, and `train/` opens those. */
  open?(options: never, stage: never): Promise<unknown>;
}

/** A stage that makes data instead of learning: mines, labels, clusters, merges … `train/make/` knows what it opens. */
export interface MakerKind extends Kind {
  /** Left out by the makers that come with nearmiss, as with tasks. */
  make?(options: never, context: never): Promise<boolean>;
  /** Asked before a run begins; fails with what is missing. */
  require?(options: never): Promise<void>;
  /** Whether the weights decide the result, which then is another one at another step. */
  readonly usesModel?: boolean;
  /** Whether it works with training queries: those of the recipe's examples, where these bring their own. */
  readonly usesQueries?: boolean;
  /** Whether it looks at the model that the run started from, whose index is kept until then. */
  readonly usesStart?: boolean;
  /** Whether what it makes is put into the model: such a stage is a step of the run, and ends with a checkpoint. */
  readonly changesModel?: boolean;
  /** Puts what was made into the model; left out by those that come with nearmiss. */
  apply?(folder: never, context: never): Promise<void>;
}

/** All that a stage can learn. */
export const tasks = new Registry<TaskKind>('task', [
  retrievalTask,
  mocoTask,
  mlmTask,
  retroMaeTask,
  generateTask,
  termWeightsTask,
]);

/** All that a stage can make. */
export const makers = new Registry<MakerKind>('maker', [
  mineKind,
  labelKind,
  clusterKind,
  trainKind,
  pseudoLabelKind,
  generateKind,
  filterKind,
  mergeKind,
]);

/**
 * Every axis of recipes, and what values of them are made of: what a module that a recipe names with `use` is given.
 *
 * @example
 * const myModule = ({ losses }: Axes): void => {
 *   losses.register({ ...losses.get('ranknet'), name: 'my-ranknet', description: 'as ranknet, under a name of its own' });
 * };
 * myModule(axes);
 */
export const axes = {
  losses,
  optimizers,
  negatives,
  examples,
  orders,
  teachers,
  representations,
  scorers,
  tasks,
  makers,
  engine,
  settings,
};

export type Axes = typeof axes;
