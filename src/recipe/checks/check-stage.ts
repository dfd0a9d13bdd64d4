import { examples } from '../../examples/kinds.js';
import { modelKinds } from '../../model/kinds.js';
import { indexScorer } from '../../model/representation/kinds.js';
import { scorers } from '../../model/scorer/kinds.js';
import type { NegativesKind } from '../../negatives/kind.js';
import { negatives as sources } from '../../negatives/kinds.js';
import { teachers } from '../../teacher/kinds.js';
import { type TaskPart, tasks } from '../axes.js';
import type { Keys } from '../origin-tree.js';
import type { Problem } from '../problems.js';
import type { Recipe, StageRecipe } from '../recipe.js';
import { type StageLoss, stageLosses } from '../stage-loss.js';
import { checkFreeze } from './check-freeze.js';
import { checkMaker } from './check-maker.js';
import { checkTask } from './check-task.js';

const PARTS: readonly TaskPart[] = ['negatives', 'loss', 'teacher', 'examples', 'batch'];

/** A stage that is being checked, and what it does. */
interface Checked {
  recipe: Recipe;
  stage: StageRecipe;
  index: number;
  kinds: NegativesKind[];
  losses: StageLoss[];
}

/** Finds what does not go together in a stage. */
export function checkStage(recipe: Recipe, index: number): Problem[] {
  const stage = recipe.stages[index];
  if (stage.make) return checkMaker(recipe, index);
  const { takes } = tasks.get(stage.task.name);
  const checked: Checked = {
    recipe,
    stage,
    index,
    kinds: stage.negatives.map(({ source }) => sources.get(source)),
    losses: takes.includes('loss') ? stageLosses(recipe, index) : [],
  };
  return [
    ...checkParts(checked, takes),
    ...checkTask(recipe, index),
    ...(takes.includes('negatives') ? checkMixture(checked) : []),
    ...(modelKinds.get(recipe.model.kind).readsPairs ? [] : checkScale(checked)),
    ...checkFreeze(recipe, index),
    ...checkFrozenDocuments(checked),
    ...checkExamples(checked),
    ...checkSchedule(checked),
    ...checkFresh(checked),
  ];
}

function checkParts({ stage, index }: Checked, takes: readonly TaskPart[]): Problem[] {
  return PARTS.filter((part) => part !== 'negatives' && stage[part] && !takes.includes(part)).map((part) => ({
    level: 'error',
    keys: ['stages', index, part],
    message: `the task ${stage.task.name} has no ${part}`,
    hint: takes.length > 0 ? `it takes ${takes.join(', ')}` : 'leave it out',
  }));
}

function checkMixture({ recipe, stage, index, kinds, losses }: Checked): Problem[] {
  const problems: Problem[] = [];
  const error = (message: string, hint: string): number =>
    problems.push({ level: 'error', keys: ['stages', index, 'negatives'], message, hint });
  const hardest = kinds.find(({ batch }) => batch === 'hardest');
  const whole = kinds.find(({ batch }) => batch === 'batch');
  if (hardest && whole) {
    error(`${whole.name} already has the document that ${hardest.name} picks`, 'keep one of the two');
  }
  if (hardest && losses.length > 0 && losses.every(({ loss }) => loss.negatives === 'batch')) {
    error(
      `${losses[0].recipe.name} compares with the whole batch, ${hardest.name} with one document of it`,
      'set the loss to nll, or the source to in-batch',
    );
  }
  kinds.forEach((kind, nth) => {
    if (!kind.repeatable && kinds.indexOf(kind) !== nth) {
      error(`expected ${kind.name} once, got it twice`, 'raise its count instead');
    }
  });
  const ofBatch = kinds.every(({ batch }) => batch !== undefined);
  if (ofBatch && { ...recipe.batch, ...stage.batch }.queries === 1) {
    error('a batch of one query has no other document', 'raise batch.queries, or add a source');
  }
  for (const { recipe: listwise, loss } of losses) {
    if (ofBatch && loss.needs?.includes('lists')) {
      error(
        `${listwise.name} compares a query's own negatives, and no source draws any`,
        'add a source such as bm25, ann or random',
      );
    }
  }
  return problems;
}

/** Cosines lie between −1 and 1, which decides what temperatures and margins can do. */
function checkScale({ recipe: { model }, losses }: Checked): Problem[] {
  const normalized = model.head.normalize ?? (model.init === 'minilm' || model.init === 'scratch');
  const cosine = normalized && !scorers.get(model.scorer).create(model as never).addsUp;
  return losses.flatMap(({ recipe: { temperature, margin }, loss, at }): Problem[] => {
    const problems: Problem[] = [];
    if (cosine && typeof margin === 'number' && margin > 2 / temperature) {
      problems.push({
        level: 'error',
        keys: at('margin'),
        message: `expected at most ${2 / temperature}, as cosines over a temperature of ${temperature} differ by no more, got ${margin}`,
        hint: 'lower loss.margin or loss.temperature',
      });
    }
    // A margin, or a teacher's scores, say themselves how far scores are to be apart.
    const scaled = margin !== undefined || loss.needs?.includes('teacher');
    if (cosine && !scaled && temperature >= 0.5) {
      problems.push({
        level: 'warning',
        keys: at('temperature'),
        message: `cosines over a temperature of ${temperature} are too close together to learn well`,
        hint: 'usual are .01 to .1, or model.head.normalize=false with 1',
      });
    }
    if (model.head.normalize === false && temperature < 0.5) {
      problems.push({
        level: 'warning',
        keys: at('temperature'),
        message: `dot products of vectors of any length over a temperature of ${temperature} grow very large`,
        hint: 'usual is 1 with model.head.normalize=false',
      });
    }
    return problems;
  });
}

function checkFrozenDocuments({ recipe, stage, index, kinds }: Checked): Problem[] {
  return kinds.flatMap((kind, nth): Problem[] => {
    if (!kind.needsFrozenDocuments) return [];
    const keys = ['stages', index, 'negatives', nth, 'source'];
    const why = `${kind.name} searches vectors of documents that must not change`;
    if (recipe.model.towers !== 'two') {
      const hint = 'set model.towers=two, and freeze: [documents] in the stage';
      return [{ level: 'error', keys, message: `${why}, and one tower learns both sides`, hint }];
    }
    if (stage.freeze.includes('documents')) return [];
    return [{ level: 'error', keys, message: why, hint: 'set freeze: [documents] in the stage' }];
  });
}

/** Rankings and teachers' scores are of training queries; examples of other kinds have none. */
function checkExamples({ recipe, stage, index, kinds, losses }: Checked): Problem[] {
  const chosen = stage.examples ?? recipe.examples;
  const { trainingQueries, hasOthers, needsDropout } = examples.get(chosen.name);
  if (needsDropout && recipe.model.dropout === 0) {
    return [
      {
        level: 'error',
        keys: ['model', 'dropout'],
        message: `expected a number above 0, as ${chosen.name} learns from what dropout changes, got 0`,
        hint: 'SimCSE takes 0.1',
      },
    ];
  }
  if (trainingQueries && !hasOthers) return [];
  const teaching = [
    {
      name: (stage.teacher ?? recipe.teacher).name,
      keys: [...(stage.teacher ? ['stages', index] : []), 'teacher', 'name'],
    },
    ...losses.flatMap(({ recipe: { teacher }, at }) =>
      teacher ? { name: teacher.name, keys: [...at('teacher'), 'name'] } : [],
    ),
  ];
  const refuse = (keys: Keys, name: string): Problem => ({
    level: 'error',
    keys,
    message: `${name} is for training queries, and ${chosen.name} makes examples of its own`,
    hint: 'take random or in-batch negatives and no teacher, or examples: labelled',
  });
  return [
    ...kinds.flatMap((kind, nth) =>
      // Sources that know training queries beforehand draw nothing for others; one that searches for them cannot.
      kind.needsTrainingQueries && (!trainingQueries || kind.needsFrozenDocuments)
        ? refuse(['stages', index, 'negatives', nth, 'source'], kind.name)
        : [],
    ),
    ...teaching.flatMap(({ name, keys }) =>
      teachers.get(name).needsTrainingQueries || (hasOthers && name === 'cross-encoder')
        ? refuse(keys, name)
        : [],
    ),
  ];
}

function checkSchedule({ recipe, stage, index }: Checked): Problem[] {
  const { warmupSteps } = { ...recipe.optimizer, ...stage.optimizer };
  if (warmupSteps < stage.steps) return [];
  return [
    {
      level: 'warning',
      keys: ['stages', index, 'steps'],
      message: `the learning rate is still warming up (${warmupSteps} steps) when the stage ends after ${stage.steps}`,
      hint: 'shorten optimizer.warmupSteps',
    },
  ];
}

/** Negatives of the model's own index. */
function checkFresh({ recipe, stage, index, kinds }: Checked): Problem[] {
  if (!kinds.some(({ fresh }) => fresh)) return [];
  const problems: Problem[] = [];
  const warn = (field: string, message: string, hint: string): number =>
    problems.push({ level: 'warning', keys: ['stages', index, field], message, hint });
  const { every } = recipe.checkpoint;
  if (every >= stage.steps) {
    warn(
      'steps',
      `a checkpoint every ${every} steps never refreshes the negatives of a stage of ${stage.steps}`,
      'lower checkpoint.every',
    );
  }
  if (index === 0 && recipe.model.init === 'scratch') {
    warn(
      'negatives',
      'the first negatives are mined by an encoder with random weights',
      'put a BM25 stage first',
    );
  }
  const { scorer, head } = recipe.model;
  const indexed = head.pooling !== undefined && indexScorer({ pooling: head.pooling }) === scorer;
  if (!indexed && !scorers.get(scorer).create(recipe.model as never).bestInnerProduct) {
    warn(
      'negatives',
      `the index finds documents by their best row, which is not how ${scorer} ranks them`,
      'expect negatives that are less near than they look',
    );
  }
  return problems;
}
