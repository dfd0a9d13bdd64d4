import { z } from 'zod';
import { text, whole } from '../../base/settings.js';

/** A model that later stages ask: a cross-encoder, trained by a run of its own inside this one. */
export const trainKind = {
  name: 'train',
  description:
    'another model, by a recipe of its own on the same training split; later stages name it stage:NAME where they ask for a model',
  options: {
    recipe: text('a recipe').default('reranker').describe('a built-in recipe or a YAML file'),
    set: z
      .array(text('path=value'), { error: 'a list of path=value' })
      .meta({ expected: 'a list of path=value' })
      .default([])
      .describe('changes of its values, as `--set` has them'),
    candidates: text('a path')
      .optional()
      .describe(
        "negatives of its stages instead of the recipe's: a TREC run, a training file, a folder that `nearmiss mine` made, or stage:NAME of a stage that mines",
      ),
    depth: whole(1).default(50).describe('the last rank of the candidates to sample from'),
    count: whole(1).default(3).describe('negatives for each query and step out of the candidates'),
  },
  usesModel: true,
};
