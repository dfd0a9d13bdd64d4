import { representationKind } from './representation.js';

export const meanKind = representationKind({
  name: 'mean',
  description: "the mean of all tokens' states",
  options: {},
  create: () => ({
    rows: () => 1,
    weigh: ({ ids }, weights) => {
      weights.fill(1 / ids.length, 0, ids.length);
    },
  }),
});
