import { between, whole } from '../../base/settings.js';
import { labellerOptions, requireTeachers } from '../../teacher/labeller-options.js';

/** Examples out of queries that nobody has judged (RocketQA's last step). */
export const pseudoLabelKind = {
  name: 'pseudo-label',
  description:
    'examples out of the queries of the collection that no split judges, for `examples: {name: pseudo-labelled, file: stage:NAME}` in later stages: of what the model finds for one, what cross-encoders hold for relevant is its positive, what they hold for irrelevant its negatives',
  options: {
    models: labellerOptions.models,
    depth: whole(1).default(50).describe('documents of each query that are looked at'),
    positive: between(0, 1, { open: 'most' })
      .default(0.9)
      .describe("the least probability of the positive, which is the query's best document"),
    negative: between(0, 1, { open: 'least' }).default(0.1).describe('the largest probability of a negative'),
    count: whole(1).default(4).describe('the most negatives of a query, first ranks first'),
  },
  usesModel: true,
  require: ({ models }: { models: string[] }) => requireTeachers(models),
};
