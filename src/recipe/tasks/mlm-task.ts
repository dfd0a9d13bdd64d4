import { between, truth } from '../../base/settings.js';

/** Masked language modelling. */
export const mlmTask = {
  name: 'mlm',
  description:
    "to guess hidden words of the collection's documents, whose language the encoder learns so (BERT; domain-adaptive pretraining); `batch.queries` are texts",
  options: {
    share: between(0, 1, { open: 'least' })
      .default(0.15)
      .describe("share of a text's tokens that is to be guessed; 8 of 10 are hidden, 1 is replaced, 1 stays"),
    wholeWords: truth()
      .default(true)
      .describe('whether all tokens of a word are hidden together, also in Chinese and Japanese'),
    heldOut: between(0, 1, { open: 'most' })
      .default(0.05)
      .describe('share of the documents that is not learned from: how well it guesses there is measured'),
  },
  needsVectors: () => 'guesses no hidden words',
  oneEncoder: true,
  takes: ['batch'],
} as const;
