import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isObject } from '../../base/is-object.js';
import { between, defaulted, list, mapping, oneOf, section, text, whole } from '../../base/settings.js';
import { AXES } from '../axis-places.js';
import type { Recipe } from '../recipe.js';
import type { ReadOptions } from './choice.js';
import { dependent } from './dependent.js';
import { indexSetting } from './index-setting.js';
import { batch, guideMargin, sharedChoices } from './learning-settings.js';
import { lossSettings } from './loss-setting.js';
import { measure } from './measure-setting.js';
import { modelSetting } from './model-setting.js';
import { optimizerSettings } from './optimizer-setting.js';
import { stageSetting } from './stage-setting.js';

const evaluation = mapping({
  split: text('the name of a split')
    .default('dev')
    .describe('split with judgments to measure on; never the test split'),
  measures: list(measure(), 'a list of measures')
    .default(['RR@10', 'nDCG@10', 'R@100'])
    .describe('what is measured at each checkpoint'),
  when: oneOf('checkpoints', 'end')
    .default('checkpoints')
    .describe('measure every checkpoint, or only the last one'),
  queries: whole(0).default(0).describe('at most this many queries, always the same; 0 for all'),
  depth: whole(1)
    .default(100)
    .describe(
      "how deep rankings go, and so the deepest a measure may look; for a cross-encoder, how many of BM25's documents it reranks",
    ),
  best: measure()
    .optional()
    .describe('the measure that decides which checkpoint is best; the first of `measures` unless given'),
  choose: oneOf('best', 'significant')
    .default('best')
    .describe(
      '`best`: keep the checkpoint that measures best; `significant`: keep what the run starts from unless a checkpoint is better by more than chance (one-sided paired t-test, p < .05)',
    ),
  chance: between(0, 1, { open: 'least' })
    .optional()
    .describe(
      'how likely a difference may be chance that `choose: significant` takes for one; .05 unless given',
    ),
  patience: whole(0)
    .default(0)
    .describe('stop after this many evaluations without a better one; 0 never stops'),
})
  .prefault({})
  .transform(({ best, choose, patience, ...rest }) => ({
    ...rest,
    best: best ?? rest.measures[0],
    choose,
    patience,
  }));

/** What a recipe says, before it is read, of what its stages change parts of. */
interface SaidForStages {
  loss?: unknown;
  optimizer?: unknown;
}

/** A recipe's mapping. */
export function recipeMapping(read: ReadOptions, said: SaidForStages = {}) {
  const shared = sharedChoices(read);
  const { teacher, examples, order } = shared;
  const loss = lossSettings(read, said.loss);
  const optimizer = optimizerSettings(read, said.optimizer);
  return mapping({
    name: text().describe("what runs and tables call it; the file's name unless given"),
    description: z
      .string({ error: 'a text' })
      .meta({ expected: 'a text' })
      .default('')
      .describe('what it reproduces and where it comes from, for people'),
    seed: whole(0).default(42).describe('decides everything random'),
    use: z
      .array(text('the path of a module'), { error: 'a list of modules' })
      .meta({ expected: 'a list of modules' })
      .default([])
      .describe(
        'modules that register losses, sources of negatives … of their own, from the file that says so',
      ),
    model: modelSetting(read).prefault({}),
    loss: loss.ofRecipe.prefault({}),
    teacher: teacher.prefault({}),
    examples: examples.prefault({}),
    optimizer: optimizer.ofRecipe.prefault({}),
    batch: mapping({
      ...batch,
      ...defaulted(
        { queries: batch.queries, accumulate: batch.accumulate, cacheTokens: batch.cacheTokens },
        { queries: 32, accumulate: 1, cacheTokens: 0 },
      ),
      order: order.prefault({}),
      guideMargin,
    }).prefault({}),
    refresh: mapping({
      mode: oneOf('async', 'lockstep')
        .default('async')
        .describe(
          '`async`: the Trainer goes on with old negatives; `lockstep`: it waits, and a run is a function of its seed',
        ),
      share: between(0, 1, { open: 'least' })
        .default(1)
        .describe('share of the training queries mined anew at each refresh, rotating'),
      precision: oneOf('fp32', 'int8', 'auto')
        .default('fp32')
        .describe(
          'in which numbers checkpoints encode what is mined and measured: `int8` is about twice as fast where the processor has VNNI and slightly rougher; `auto` measures both',
        ),
      index: indexSetting,
    }).prefault({}),
    evaluation,
    checkpoint: section(
      {
        every: whole(1).describe('steps between checkpoints, and so between refreshes'),
        keep: whole(1).describe('how many of the newest to keep besides the best'),
      },
      { every: 100, keep: 2 },
    ),
    evidence: section(
      {
        every: whole(0).describe(
          'steps between measurements of loss and gradient norms by source of negatives, in stages with several; each takes about one more step for each source; 0 for none',
        ),
      },
      // Under 3 % of a stage with two sources; beside checkpoints every 100 it meets negatives of every age.
      { every: 75 },
    ),
    stages: list(
      stageSetting(read, { ...shared, loss: loss.ofStage, optimizer: optimizer.ofStage }),
      'a list of stages',
    ).describe('what is learned one after the other'),
  });
}

/** By what is registered, how it is read and what is said for stages to change. */
const mappings = new LRUCache<string, ReturnType<typeof recipeMapping>>({ max: 30 });

function mappingFor(read: ReadOptions, said: SaidForStages): ReturnType<typeof recipeMapping> {
  // Kinds only ever come: as many as before are the same as before.
  const kinds = Object.values(AXES).map(({ registry }) => registry.names.length);
  const key = JSON.stringify([kinds, read.unknownKinds === true, said]);
  const known = mappings.get(key) ?? recipeMapping(read, said);
  mappings.set(key, known);
  return known;
}

/**
 * What a recipe may say, with the defaults of what it leaves out, by the kinds that are registered now; see `Recipe`
 * for the meaning.
 */
export function recipeSchema(read: ReadOptions = {}): z.ZodType<Recipe> {
  return dependent<Recipe>((value) => mappingFor(read, saidIn(value)), { as: () => mappingFor(read, {}) });
}

function saidIn(value: unknown): SaidForStages {
  return isObject(value) ? { loss: value.loss, optimizer: value.optimizer } : {};
}
