import type { Kind, Registry } from '../base/registry.js';
import { axes } from './axes.js';
import type { Keys } from './origin-tree.js';

/** How a recipe chooses a value of an axis: a mapping in which `tag` names the kind, its options beside it. */
export interface Axis {
  readonly registry: Registry<Kind>;
  /** What its values are called together, in the reference. */
  readonly title: string;
  readonly tag: string;
  /** Whether the name alone may stand for the mapping: `teacher: none`. */
  readonly short?: boolean;
  /**
   * What a kind that has no such option may be given all the same, as it says nothing: recipes that earlier versions
   * wrote out have it.
   */
  readonly idle?: Readonly<Record<string, unknown>>;
}

const AXIS = {
  loss: { registry: axes.losses, title: 'Losses', tag: 'name', short: true, idle: { margin: 1 } },
  negatives: {
    registry: axes.negatives,
    title: 'Sources of negatives',
    tag: 'source',
    short: true,
    idle: {
      count: 0,
      depth: 0,
      sampling: 'uniform',
      skipRanks: 0,
      dropAnswers: false,
      keepDuplicates: false,
    },
  },
  optimizer: { registry: axes.optimizers, title: 'Optimizers', tag: 'name', short: true },
  teacher: { registry: axes.teachers, title: 'Teachers', tag: 'name', short: true },
  examples: { registry: axes.examples, title: 'Examples', tag: 'name', short: true },
  order: { registry: axes.orders, title: 'Batch orders', tag: 'name', short: true },
  pooling: { registry: axes.representations, title: 'Poolings', tag: 'pooling' },
  scorer: { registry: axes.scorers, title: 'Scorers', tag: 'scorer' },
  task: { registry: axes.tasks, title: 'Tasks', tag: 'name', short: true },
  make: { registry: axes.makers, title: 'Makers', tag: 'name', short: true },
} as const satisfies Record<string, Axis>;

export type AxisName = keyof typeof AXIS;

export const AXES: Readonly<Record<AxisName, Axis>> = AXIS;

/** Where recipes choose; `#` is any item of a list. */
const PLACES: Readonly<Record<string, AxisName>> = {
  loss: 'loss',
  'loss.#': 'loss',
  'loss.teacher': 'teacher',
  'loss.#.teacher': 'teacher',
  optimizer: 'optimizer',
  teacher: 'teacher',
  examples: 'examples',
  'batch.order': 'order',
  model: 'scorer',
  'model.head': 'pooling',
  'stages.#.task': 'task',
  'stages.#.make': 'make',
  'stages.#.negatives.#': 'negatives',
  'stages.#.loss': 'loss',
  'stages.#.loss.#': 'loss',
  'stages.#.loss.teacher': 'teacher',
  'stages.#.loss.#.teacher': 'teacher',
  'stages.#.optimizer': 'optimizer',
  'stages.#.teacher': 'teacher',
  'stages.#.examples': 'examples',
  'stages.#.batch.order': 'order',
};

/** The axis along which the mapping at a path chooses. */
export function axisAt(keys: Keys): Axis | undefined {
  const name = PLACES[keys.map((key) => (typeof key === 'number' ? '#' : String(key))).join('.')];
  return name && AXES[name];
}

/** A mapping in a recipe that chooses a value of an axis. */
export interface Chosen {
  axis: Axis;
  keys: Keys;
  value: Record<string, unknown>;
  /** Undefined where the name is inherited or not registered. */
  kind: Kind | undefined;
}

/** Everything that a recipe chooses, in its order. */
export function choicesIn(value: unknown, keys: Keys = []): Chosen[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  const below = Object.entries(value).flatMap(([key, child]) =>
    choicesIn(child, [...keys, isList ? Number(key) : key]),
  );
  const axis = isList ? undefined : axisAt(keys);
  if (!axis) return below;
  const chosen = value as Record<string, unknown>;
  return [{ axis, keys, value: chosen, kind: axis.registry.find(String(chosen[axis.tag])) }, ...below];
}

/** The names of all options that kinds of an axis have. */
export function optionsOn({ registry }: Axis): Set<string> {
  return new Set(registry.kinds.flatMap(({ options }) => Object.keys(options)));
}
