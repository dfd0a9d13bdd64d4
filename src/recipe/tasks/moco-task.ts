import { between, whole } from '../../base/settings.js';

/** Momentum contrast. */
export const mocoTask = {
  name: 'moco',
  description:
    'retrieval with documents encoded by a moving average of the encoder, those of earlier steps in a queue as negatives (MoCo; Contriever)',
  options: {
    queue: whole(1)
      .default(2048)
      .describe('documents of earlier steps that are negatives; 64 batches are usual'),
    momentum: between(0, 1, { open: 'most' })
      .default(0.95)
      .describe(
        'how much of the moving average stays at each step: 1 − 250 / steps is usual, .9995 for half a million',
      ),
  },
  oneVector: true,
  takes: ['loss', 'examples', 'batch'],
  needsVectors: () => 'makes no vectors that could wait in a queue',
} as const;
