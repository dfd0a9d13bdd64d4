/**
 * Several rows a text, of your own: every other token's state. A scorer that takes many rows compares them.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ representations, settings }) => {
  representations.register({
    name: 'every-other',
    description: 'the states of every so many tokens',
    options: { step: settings.whole(1).default(2).describe('tokens from one row to the next') },
    scorer: 'max-sim',
    create: ({ step }) => ({
      tokens({ ids }) {
        return Array.from({ length: Math.ceil(ids.length / step) }, (_, row) => row * step);
      },
    }),
  });
};
