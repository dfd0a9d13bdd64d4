import { modelKinds } from '../../model/kinds.js';
import { negatives as sources } from '../../negatives/kinds.js';
import { tasks } from '../axes.js';
import type { Keys } from '../origin-tree.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';
import { stageLosses } from '../stage-loss.js';

/** Finds what a model that reads pairs and makes no vectors cannot do. */
export function checkPairReader(recipe: Recipe): Problem[] {
  const problems: Problem[] = [];
  const refuse = (keys: Keys, message: string, hint: string): number =>
    problems.push({ level: 'error', keys, message, hint });
  const { towers, passages, head, scorer, kind } = recipe.model;
  const { noun, writes } = modelKinds.get(kind);
  if (towers === 'two') {
    refuse(['model', 'towers'], `${noun} is one model, got two`, 'leave out model.towers');
  }
  if (passages.mode === 'max' && !writes) {
    refuse(
      ['model', 'passages', 'mode'],
      `${noun} reads a document's first tokens, got max`,
      'split the documents beforehand, or raise model.maxLength.document',
    );
  }
  if (passages.mode === 'first' && scorer !== 'dot') {
    refuse(['model', 'scorer'], `${noun} scores by itself, got ${scorer}`, 'leave out model.scorer');
  }
  for (const field of Object.keys(head)) {
    refuse(['model', 'head', field], `${noun} makes no vectors, so it has no such head`, 'leave it out');
  }
  recipe.stages.forEach((_, index) => {
    problems.push(...checkStageOfPairs(recipe, index));
  });
  return problems;
}

function checkStageOfPairs(recipe: Recipe, index: number): Problem[] {
  const problems: Problem[] = [];
  const stage = recipe.stages[index];
  stage.negatives.forEach(({ source }, nth) => {
    const why = sources.get(source).needsVectors;
    if (why === undefined) return;
    problems.push({
      level: 'error',
      keys: ['stages', index, 'negatives', nth, 'source'],
      message: `a cross-encoder ${why}, got ${source}`,
      hint: 'take bm25, random, or static with a run that `nearmiss search --queries … --run FILE` made',
    });
  });
  const learnsByLoss = !stage.make && tasks.get(stage.task.name).takes.includes('loss');
  for (const {
    recipe: { name, temperature },
    loss,
    at,
  } of learnsByLoss ? stageLosses(recipe, index) : []) {
    if (loss.negatives !== 'own') {
      problems.push({
        level: 'error',
        keys: at('name'),
        message: `a cross-encoder has no scores for the other documents of the batch, which ${name} compares with`,
        hint: "take nll (a query's positive against its own negatives) or bce (each pair by itself)",
      });
    }
    if (temperature < 0.5) {
      problems.push({
        level: 'warning',
        keys: at('temperature'),
        message: `scores of a cross-encoder over a temperature of ${temperature} grow very large`,
        hint: 'usual is 1',
      });
    }
  }
  const { cacheTokens } = { ...recipe.batch, ...stage.batch };
  if (cacheTokens > 0) {
    problems.push({
      level: 'error',
      keys: [...(stage.batch?.cacheTokens === undefined ? [] : ['stages', index]), 'batch', 'cacheTokens'],
      message: 'gradient caching is for losses over a whole batch, which a cross-encoder does not have',
      hint: 'learn from smaller batches and add them up: batch.queries=8 batch.accumulate=4',
    });
  }
  return problems;
}
