/**
 * A source of negatives of your own: documents that stand next to a relevant one in the collection. Where a collection is
 * sorted by topic, they are near misses that cost no search.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ negatives, settings }) => {
  negatives.register({
    name: 'nearby',
    description: 'documents that stand near a relevant one in the collection',
    options: {
      count: settings.whole(1).default(1).describe('negatives for each query and step'),
      reach: settings.whole(1).default(5).describe('how many places away they may stand'),
    },
    async open({ reach }, { documentCount, positives }) {
      const source = {
        name: 'nearby',
        // A function of the example and the random stream alone, so that a resumed run draws the same.
        sample(example, random, count) {
          const relevant = [...positives(example)];
          const near = new Set(
            relevant.flatMap((document) => {
              const first = Math.max(0, document - reach);
              const last = Math.min(documentCount - 1, document + reach);
              return Array.from({ length: last - first + 1 }, (_, i) => first + i);
            }),
          );
          for (const document of relevant) near.delete(document);
          return random
            .shuffle([...near])
            .slice(0, count)
            .map((document) => ({ document, source: 'nearby' }));
        },
      };
      return { at: async () => source };
    },
  });
};
