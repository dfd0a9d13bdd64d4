import { isObject } from '../../base/is-object.js';
import { list, positive } from '../../base/settings.js';
import { AXES } from '../axis-places.js';
import type { Choice, LossRecipe } from '../recipe.js';
import { choice, type ReadOptions } from './choice.js';
import { dependent } from './dependent.js';

/** How every loss is scaled and weighed, whichever it is. */
const ANY_LOSS = {
  temperature: positive()
    .default(0.05)
    .describe('scores are divided by this: about .05 for cosines, 1 for dot products'),
  weight: positive().default(1).describe('its factor in the sum, where there are several'),
};

const LOSS = {
  axis: AXES.loss,
  meaning: 'how scores become a loss',
  otherwise: () => 'infonce',
};

/** Whose scores a loss learns from, where several learn from different ones. */
function ownTeacher(read: ReadOptions) {
  return choice<Choice>({
    ...read,
    axis: AXES.teacher,
    meaning: "whose scores this loss learns from, instead of the recipe's or the stage's teacher",
  }).optional();
}

/**
 * The loss of a recipe, or several whose weighted sum is learned from, and that of a stage, which changes parts of the
 * recipe's.
 *
 * @param said what the recipe says of its loss, before it is read
 */
export function lossSettings(read: ReadOptions, said: unknown) {
  const after = { ...ANY_LOSS, teacher: ownTeacher(read) };
  const one = choice<LossRecipe>({ ...LOSS, after, ...read });
  const several = list(one, 'a loss, or a list of losses');
  const changes = isObject(said) ? said : {};
  const change = choice<Partial<LossRecipe>>({
    ...LOSS,
    after,
    ...read,
    otherwise: () => String(changes[AXES.loss.tag] ?? LOSS.otherwise()),
    changes,
  });
  return {
    ofRecipe: dependent<LossRecipe | LossRecipe[]>((value) => (Array.isArray(value) ? several : one), {
      as: () => one,
      many: true,
    }),
    ofStage: dependent<Partial<LossRecipe> | LossRecipe[]>(
      // Where the recipe has several losses there is none to change.
      (value) => (Array.isArray(value) ? several : Array.isArray(said) ? one : change),
      { as: () => change, many: true },
    ),
  };
}
