import { examplesKind } from './example.js';

/** Each query with one of the documents that are known to answer it, another one each time. */
export const labelledKind = examplesKind({
  name: 'labelled',
  description: 'queries of the training split, each with one of its relevant documents',
  options: {},
  trainingQueries: true,
  async open(_, { training }) {
    return {
      count: training.length,
      async at(example, random) {
        const { query, positives } = training[example];
        return { query, positive: positives[random.integer(positives.length)] };
      },
      relevant: (example) => training[example].positives,
      grades: (example) => training[example].grades,
    };
  },
});
