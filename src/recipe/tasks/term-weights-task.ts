import { oneOf, whole } from '../../base/settings.js';

/** What a model that weighs words learns: how likely a word of a text is among those that it is asked for by. */
export const termWeightsTask = {
  name: 'term-weights',
  description:
    'to say of each word how many of its document’s queries have it (DeepCT), or of its query’s documents; for `model.kind: terms`',
  options: {
    side: oneOf('documents', 'queries')
      .default('documents')
      .describe('whose words are weighed: in an index, or at search time'),
    tokens: whole(64)
      .default(4096)
      .describe(
        'a batch is computed in parts of at most so many padded tokens: bounds the memory, changes nothing else',
      ),
  },
  takes: ['examples', 'batch'],
  weighs: true,
} as const;
