import { negativesKind } from '../kind.js';

export const hardestInBatchKind = negativesKind({
  name: 'hardest-in-batch',
  description: 'the best scored of the other documents of the batch (NCE)',
  options: {},
  batch: 'hardest',
  needsVectors: 'would have to read every query with every document of the batch',
});
