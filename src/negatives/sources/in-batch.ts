import { negativesKind } from '../kind.js';

export const inBatchKind = negativesKind({
  name: 'in-batch',
  description: 'every other document of the batch, sampled negatives of other queries included (DPR)',
  options: {},
  batch: 'batch',
  needsVectors: 'would have to read every query with every document of the batch',
});
