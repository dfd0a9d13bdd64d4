import type { Keys } from './origin-tree.js';
import type { Problem } from './problems.js';
import type { NegativesRecipe, Recipe, StageRecipe } from './recipe.js';

/** Sources that need a vector of each document. */
const NEEDS_VECTORS: Partial<Record<NegativesRecipe['source'], string>> = {
  'in-batch': 'would have to read every query with every document of the batch',
  'hardest-in-batch': 'would have to read every query with every document of the batch',
  ann: 'makes no vectors to search',
};

/** Finds what a cross-encoder, which reads pairs and makes no vectors, cannot do. */
export function checkCross(recipe: Recipe): Problem[] {
  const problems: Problem[] = [];
  const refuse = (keys: Keys, message: string, hint: string): number =>
    problems.push({ level: 'error', keys, message, hint });
  const { towers, passages, head } = recipe.model;
  if (towers === 'two') {
    refuse(['model', 'towers'], 'a cross-encoder is one encoder, got two', 'leave out model.towers');
  }
  if (passages.mode === 'max') {
    refuse(
      ['model', 'passages', 'mode'],
      "a cross-encoder reads a document's first tokens, got max",
      'split the documents beforehand, or raise model.maxLength.document',
    );
  }
  for (const field of Object.keys(head)) {
    refuse(
      ['model', 'head', field],
      'a cross-encoder makes no vectors, so it has no such head',
      'leave it out',
    );
  }
  recipe.stages.forEach((stage, index) => {
    problems.push(...checkCrossStage(recipe, stage, ['stages', index]));
  });
  return problems;
}

function checkCrossStage(recipe: Recipe, stage: StageRecipe, keys: Keys): Problem[] {
  const problems: Problem[] = [];
  const at = (part: 'loss' | 'batch', field: string): Keys => [
    ...(stage[part] && field in stage[part] ? keys : []),
    part,
    field,
  ];
  stage.negatives.forEach(({ source }, index) => {
    const why = NEEDS_VECTORS[source];
    if (why === undefined) return;
    problems.push({
      level: 'error',
      keys: [...keys, 'negatives', index, 'source'],
      message: `a cross-encoder ${why}, got ${source}`,
      hint: 'take bm25, random, or static with a run that `nearmiss search --queries … --run FILE` made',
    });
  });
  const { name, temperature } = { ...recipe.loss, ...stage.loss };
  if (name === 'infonce') {
    problems.push({
      level: 'error',
      keys: at('loss', 'name'),
      message:
        'a cross-encoder has no scores for the other documents of the batch, which infonce compares with',
      hint: "take nll (a query's positive against its own negatives) or bce (each pair by itself)",
    });
  }
  if (temperature < 0.5) {
    problems.push({
      level: 'warning',
      keys: at('loss', 'temperature'),
      message: `scores of a cross-encoder over a temperature of ${temperature} grow very large`,
      hint: 'usual is 1',
    });
  }
  const { cacheTokens } = { ...recipe.batch, ...stage.batch };
  if (cacheTokens > 0) {
    problems.push({
      level: 'error',
      keys: at('batch', 'cacheTokens'),
      message: 'gradient caching is for losses over a whole batch, which a cross-encoder does not have',
      hint: 'learn from smaller batches and add them up: batch.queries=8 batch.accumulate=4',
    });
  }
  return problems;
}
