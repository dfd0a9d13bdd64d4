import type { z } from 'zod';
import { list, positive } from '../../base/settings.js';
import { AXES } from '../axis-places.js';
import type { LossRecipe } from '../recipe.js';
import { choice, type ReadOptions } from './choice.js';
import { dependent, isRecord } from './dependent.js';

/** How every loss is scaled and weighed, whichever it is. */
const anyLoss = (own: z.ZodRawShape): z.ZodRawShape => ({
  ...own,
  temperature: positive()
    .default(0.05)
    .describe('scores are divided by this: about .05 for cosines, 1 for dot products'),
  weight: positive().default(1).describe('its factor in the sum, where there are several'),
});

const LOSS = {
  axis: AXES.loss,
  meaning: 'how scores become a loss',
  fields: anyLoss,
  otherwise: () => 'infonce',
};

/** One loss, or several whose weighted sum is learned from. */
export function lossSetting(read: ReadOptions) {
  const one = choice<LossRecipe>({ ...LOSS, ...read });
  const several = list(one, 'a loss, or a list of losses');
  return dependent<LossRecipe | LossRecipe[]>((value) => (Array.isArray(value) ? several : one), {
    as: () => one,
    many: true,
  });
}

/** @param inherited what the recipe says of its loss, before it is read */
export function stageLossSetting(read: ReadOptions, inherited: unknown) {
  const one = choice<LossRecipe>({ ...LOSS, ...read });
  const several = list(one, 'a loss, or a list of losses');
  const changes = isRecord(inherited) ? inherited : {};
  const change = choice<Partial<LossRecipe>>({
    ...LOSS,
    ...read,
    otherwise: () => String(changes[AXES.loss.tag] ?? LOSS.otherwise()),
    changes,
  });
  return dependent<Partial<LossRecipe> | LossRecipe[]>(
    // Where the recipe has several losses there is none to change.
    (value) => (Array.isArray(value) ? several : Array.isArray(inherited) ? one : change),
    { as: () => change, many: true },
  );
}
