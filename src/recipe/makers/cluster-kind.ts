import { whole } from '../../base/settings.js';

/** Topics of the training queries: what a later stage's batches are made of. */
export const clusterKind = {
  name: 'cluster',
  description:
    'topics of the training queries by the model as it is now (spherical k-means), for `batch.order: {name: topic, file: stage:NAME}` in later stages',
  options: {
    size: whole(1).default(200).describe('queries in a topic on average, as TAS-B has them'),
    clusters: whole(1).optional().describe('how many topics, instead of `size`'),
  },
  usesModel: true,
  usesQueries: true,
};
