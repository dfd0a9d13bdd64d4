import { makers } from '../axes.js';
import type { Problem } from '../problems.js';
import type { Recipe } from '../recipe.js';

/** Finds what does not go together in a stage that makes something. */
export function checkMaker(recipe: Recipe, index: number): Problem[] {
  return [...checkLearning(recipe, index), ...checkStart(recipe, index)];
}

/** A stage that makes data learns nothing, so it has nothing to say about learning. */
function checkLearning({ stages }: Recipe, index: number): Problem[] {
  const stage = stages[index];
  const said = (['loss', 'teacher', 'examples', 'optimizer', 'batch'] as const).filter((part) => stage[part]);
  return [...said, ...(stage.freeze.length > 0 ? ['freeze'] : [])].map((part) => ({
    level: 'error',
    keys: ['stages', index, part],
    message: `a stage that makes data has no ${part}`,
    hint: 'leave it out',
  }));
}

/** What looks back at the start needs one worth looking at, something that came of it, and to be reached. */
function checkStart({ stages, model, evaluation }: Recipe, index: number): Problem[] {
  const name = stages[index].make?.name ?? '';
  if (!makers.find(name)?.usesStart) return [];
  const keys = ['stages', index, 'make'];
  const problems: Problem[] = [];
  if (stages.slice(0, index).every(({ make }) => make)) {
    problems.push({
      level: 'error',
      keys,
      message: `${name} compares the start with what was trained, and no stage before it trains`,
      hint: 'put it after the stages that train',
    });
  }
  if (model.init === 'scratch') {
    problems.push({
      level: 'warning',
      keys,
      message: `${name} takes the start into account, which has random weights with init: scratch`,
      hint: 'leave the stage out, or start from a trained model',
    });
  }
  if (evaluation.patience > 0) {
    problems.push({
      level: 'warning',
      keys,
      message: `evaluation.patience ${evaluation.patience} may end the run before this stage`,
      hint: 'set evaluation.patience=0, or leave the stage out',
    });
  }
  return problems;
}
