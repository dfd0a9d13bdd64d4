import { between, whole } from '../../base/settings.js';

/** What a query generator learns: token by token the queries of the documents that answer them. */
export const generateTask = {
  name: 'generate',
  description: 'to write the queries that documents answer (doc2query); for `model.kind: seq2seq`',
  options: {
    smoothing: between(0, 1, { open: 'most' })
      .default(0.1)
      .describe('share of the probability that is spread over all words (label smoothing)'),
    tokens: whole(64)
      .default(2048)
      .describe(
        'a batch is computed in parts of at most so many padded tokens of documents: bounds the memory, changes nothing else',
      ),
  },
  takes: ['examples', 'batch'],
  writes: true,
} as const;
