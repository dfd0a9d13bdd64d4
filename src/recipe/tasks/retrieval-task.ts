import { truth } from '../../base/settings.js';

/** What retrievers learn. */
export const retrievalTask = {
  name: 'retrieval',
  description: 'relevant documents are to score higher than negatives',
  options: {
    projector: truth()
      .optional()
      .describe(
        'whether a new layer with tanh is on the vectors while the stage learns, which is not part of the model that is saved (SimCSE)',
      ),
  },
  needsVectors: ({ projector }: { projector?: boolean }) =>
    projector ? 'makes no vectors to put a projector on' : undefined,
  takes: ['negatives', 'loss', 'teacher', 'examples', 'batch'],
} as const;
