/**
 * A batch order of your own: training queries that stand next to each other in the collection come into one batch. Where
 * a collection is sorted by topic, the other documents of the batch are then nearer misses.
 *
 * @param {import('nearmiss').Axes} axes
 */
export default ({ orders, engine }) => {
  orders.register({
    name: 'neighbours',
    description: 'queries that stand next to each other, such groups in a new random order in each epoch',
    options: {},
    async open(_, { count, queries, accumulate, seed, stage }) {
      const groups = Math.ceil(count / queries);
      return {
        // A function of the step alone, so that a run that was interrupted goes on as if nothing had happened.
        members(step, part) {
          const batch = step * accumulate + part;
          const epoch = Math.floor(batch / groups);
          const order = Int32Array.from({ length: groups }, (_, group) => group);
          const group = engine.Random.from(seed, 'neighbours', stage, epoch).shuffle(order)[batch % groups];
          const first = group * queries;
          return Array.from({ length: Math.min(queries, count - first) }, (_, i) => first + i);
        },
      };
    },
  });
};
