import { anyNumber, whole } from '../../base/settings.js';
import { AXES } from '../axis-places.js';
import type { Choice } from '../recipe.js';
import { choice, type ReadOptions } from './choice.js';

/** What a recipe says of learning for all stages, and a stage for itself, without the defaults. */

export const batch = {
  queries: whole(1).describe('queries in a batch'),
  accumulate: whole(1).describe('batches whose gradients are added up for one update'),
  cacheTokens: whole(0).describe(
    'gradient caching in chunks of this many tokens, for batches that do not fit memory; 0 for all at once',
  ),
  documentTokens: whole(8)
    .optional()
    .describe(
      'tokens of a document that are read while learning, where that is fewer than `model.maxLength.document`: cheaper steps for a model that is measured and served at its full length',
    ),
};

/** How a teacher guides what counts as a negative. */
export const guideMargin = anyNumber()
  .optional()
  .describe(
    'negatives that the teacher scores above the positive less this do not count (GISTEmbed has 0); left out, all count',
  );

/** The choices that a recipe makes for all stages, and that a stage may make for itself. */
export function sharedChoices(read: ReadOptions) {
  return {
    teacher: choice<Choice>({
      ...read,
      axis: AXES.teacher,
      meaning: 'whose scores are learned from besides judgments',
      otherwise: () => 'none',
    }),
    examples: choice<Choice>({
      ...read,
      axis: AXES.examples,
      meaning: 'where queries and their relevant documents come from',
      otherwise: () => 'labelled',
    }),
    order: choice<Choice>({
      ...read,
      axis: AXES.order,
      meaning: 'which examples come together in a batch',
      otherwise: () => 'shuffled',
    }),
  };
}
