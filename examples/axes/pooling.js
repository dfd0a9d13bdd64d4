/**
 * A pooling of your own: a mean of the tokens' states in which later tokens count less.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ representations, settings }) => {
  representations.register({
    name: 'fading-mean',
    description: "a mean of all tokens' states, each weighing less than the one before",
    options: {
      fade: settings
        .between(0, 1, { open: 'least' })
        .default(0.9)
        .describe('the weight of a token, as a share of the one before'),
    },
    create: ({ fade }) => ({
      weigh({ ids }, weights) {
        let sum = 0;
        for (let i = 0; i < ids.length; i++) sum += fade ** i;
        for (let i = 0; i < ids.length; i++) weights[i] = fade ** i / sum;
      },
    }),
  });
};
