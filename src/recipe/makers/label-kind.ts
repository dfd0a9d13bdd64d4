import { z } from 'zod';
import { list, text, whole } from '../../base/settings.js';
import { labellerOptions, requireTeachers } from '../../teacher/labeller-options.js';

/** Scores of cross-encoders for candidates: what a later stage distils (`stored`) or denoises its negatives with. */
export const labelKind = {
  name: 'label',
  description:
    "cross-encoders' scores of each query's positives and candidates, for `teacher: stored` and `source: static` with `file: stage:NAME` in later stages",
  options: {
    ...labellerOptions,
    candidates: z
      .union([text('a path'), list(text('a path'), 'a list of paths')], {
        error: 'a path, or a list of paths',
      })
      .meta({ expected: 'a path, or a list of paths' })
      .describe(
        'a TREC run, a training file, a folder that `nearmiss mine` made, or stage:NAME of a stage that mines; of several, the best of each in turn',
      ),
    depth: whole(1).default(50).describe('candidates of each query that are scored, besides its positives'),
    draw: whole(0)
      .default(0)
      .describe('so many of these, drawn by the seed, as GPL scores only what it learns from; 0 for all'),
  },
  usesModel: true,
  usesQueries: true,
  require: ({ models }: { models: string[] }) => requireTeachers(models),
};
