import { between, list, oneOf, whole } from '../../base/settings.js';

/** The mix of the model that a run started from and what it has become, as a dev split likes it best. */
export const mergeKind = {
  name: 'merge',
  description:
    "the model itself: the weighted mean of the run's start and of what was trained that measures best on the dev split",
  options: {
    weights: list(between(0, 1), 'a list of numbers from 0 to 1')
      .default([0.25, 0.5, 0.75, 1])
      .describe('shares of the trained model to try; the start has the rest'),
    pool: whole(0)
      .default(20)
      .describe(
        'measure among the first so many documents of start and trained for each query, and all relevant ones; 0 for the whole collection',
      ),
    from: oneOf('both', 'start')
      .default('both')
      .describe(
        'whose first documents are in the pool: `start` spares encoding the collection with what was trained',
      ),
    documents: whole(1).default(10_000).describe('the most documents of such a pool'),
    queries: whole(0).default(500).describe('the most dev queries to measure with; 0 for all'),
  },
  usesModel: true,
  usesQueries: true,
  usesStart: true,
  changesModel: true,
};
