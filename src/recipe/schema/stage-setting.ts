import { z } from 'zod';
import { isObject } from '../../base/is-object.js';
import { list, mapping, positive, text, whole } from '../../base/settings.js';
import { makers, tasks } from '../axes.js';
import { AXES } from '../axis-places.js';
import { frozenPartSetting } from '../freeze.js';
import type { Choice, NegativesRecipe, StageRecipe } from '../recipe.js';
import { choice, type ReadOptions } from './choice.js';
import { dependent, once } from './dependent.js';
import { batch, guideMargin, type sharedChoices } from './learning-settings.js';
import type { lossSettings } from './loss-setting.js';
import type { optimizerSettings } from './optimizer-setting.js';

const DEFAULT_TASK = 'retrieval';

/** Whether a stage has to have something, has just one, has no use for it, or may have it. */
type Demand = 'some' | 'one' | 'none' | 'any';

interface StageDemand {
  steps: Demand;
  negatives: Demand;
}

const DEMANDS = {
  learning: { steps: 'some', negatives: 'some' },
  'learning without negatives': { steps: 'some', negatives: 'none' },
  making: { steps: 'none', negatives: 'none' },
  'making the model': { steps: 'one', negatives: 'none' },
  /** A maker that is not registered. */
  'making something': { steps: 'any', negatives: 'none' },
  /** A task that is not registered. */
  unknown: { steps: 'some', negatives: 'any' },
} as const satisfies Record<string, StageDemand>;

/** What a stage may say for itself instead of its recipe. */
export interface OwnSettings extends ReturnType<typeof sharedChoices> {
  loss: ReturnType<typeof lossSettings>['ofStage'];
  optimizer: ReturnType<typeof optimizerSettings>['ofStage'];
}

/** One of a recipe's stages. */
export function stageSetting(read: ReadOptions, { loss, optimizer, teacher, examples, order }: OwnSettings) {
  const source = choice<NegativesRecipe>({ ...read, axis: AXES.negatives, meaning: 'where they come from' });
  const task = choice<Choice>({
    ...read,
    axis: AXES.task,
    meaning: 'what is learned',
    otherwise: () => DEFAULT_TASK,
  });
  const make = choice<Choice>({
    ...read,
    axis: AXES.make,
    meaning: 'what is made instead of learning: data that later stages use',
  });
  const stage = (demand: StageDemand) =>
    mapping({
      name: text('a name of letters, digits, - and _')
        .regex(/^[A-Za-z][\w-]*$/, { error: 'a name of letters, digits, - and _, a letter first' })
        .describe('what `--set stages.NAME…`, events and the live view call it'),
      steps: stepsSetting(demand.steps).describe(
        'updates of the weights; none where the stage makes data, one where it makes the model',
      ),
      epochs: positive()
        .optional()
        .describe(
          'at most this many passes over the training queries, where that is fewer steps: few labels are soon learned by heart',
        ),
      task: task.prefault({}),
      make: make.optional(),
      negatives: sourcesSetting(source, demand.negatives).describe(
        'where negatives come from; several are mixed',
      ),
      freeze: z
        .array(frozenPartSetting(), { error: 'a list of parts' })
        .meta({ expected: 'a list of parts' })
        .default([])
        .describe(
          'what does not learn: `queries` or `documents` (of two towers), `encoder` (of a model that writes), `embeddings`, `layers.2`, `layers.0-3`, `head`',
        ),
      loss: loss.optional(),
      teacher: teacher.optional(),
      examples: examples.optional(),
      optimizer: optimizer.optional().describe("replaces parts of the recipe's optimizer"),
      batch: mapping({ ...batch, order, guideMargin })
        .partial()
        .optional()
        .describe("replaces parts of the recipe's batch"),
    });
  const fitting = once((demand) => stage(DEMANDS[demand as keyof typeof DEMANDS]));
  return dependent<StageRecipe>((value) => fitting(demandOf(value)), { as: () => fitting('learning') });
}

function demandOf(value: unknown): keyof typeof DEMANDS {
  const { make, task } = isObject(value) ? value : {};
  if (make !== undefined) {
    const maker = makers.find(String(isObject(make) ? make[AXES.make.tag] : make));
    if (!maker) return 'making something';
    return maker.changesModel ? 'making the model' : 'making';
  }
  const kind = tasks.find(String((isObject(task) && task[AXES.task.tag]) || DEFAULT_TASK));
  if (!kind) return 'unknown';
  return kind.takes.includes('negatives') ? 'learning' : 'learning without negatives';
}

function stepsSetting(demand: Demand) {
  if (demand === 'some') return whole(1);
  if (demand === 'any') return whole(0).default(0);
  if (demand === 'one')
    return z.literal(1, { error: 'one step, as the stage makes the model anew' }).default(1);
  return z.literal(0, { error: 'no steps, as the stage makes data' }).default(0);
}

function sourcesSetting<T extends z.ZodType>(source: T, demand: Demand) {
  const expected = 'a list of sources';
  if (demand === 'some') return list(source, expected);
  const sources = z.array(source, { error: expected });
  if (demand === 'any') return sources.default([]);
  return sources.max(0, { error: 'no sources, as nothing here learns from negatives' }).default([]);
}
