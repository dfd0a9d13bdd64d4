import { type Loss, lossKind } from './loss.js';
import { softmaxLoss } from './softmax.js';

/**
 * InfoNCE (DPR's loss, sentence-transformers' MultipleNegativesRanking): the positive against every other
 * document of the batch, hard negatives of all queries included, known positives left out.
 */
export const infoNce: Loss = { name: 'infonce', negatives: 'batch', build: softmaxLoss };

export const infoNceKind = lossKind({
  name: 'infonce',
  description: 'the positive against every other document of the batch, by a softmax',
  options: {},
  create: () => infoNce,
});
