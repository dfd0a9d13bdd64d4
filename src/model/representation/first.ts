import { representationKind } from './representation.js';

export const firstKind = representationKind({
  name: 'first',
  description: "the first token's state",
  options: {},
  create: () => ({
    rows: () => 1,
    weigh: (_, weights) => {
      weights[0] = 1;
    },
    firstTokenOnly: true,
  }),
});
