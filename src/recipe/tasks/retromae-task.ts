import { between, truth, whole } from '../../base/settings.js';

/** A masked auto-encoder of texts. */
export const retroMaeTask = {
  name: 'retromae',
  description:
    "to guess some hidden words of the collection's documents, and to give a text a vector from which a decoder of one layer, which sees few of its words, rebuilds it (RetroMAE); the decoder is not saved; `batch.queries` are texts",
  options: {
    share: between(0, 1, { open: 'least' })
      .default(0.3)
      .describe('share of a text that is hidden from the encoder'),
    decoderShare: between(0, 1, { open: 'least' })
      .default(0.5)
      .describe('share of a text that is hidden from the decoder, drawn anew for each token it rebuilds'),
    wholeWords: truth()
      .default(true)
      .describe('whether all tokens of a word are hidden together, also in Chinese and Japanese'),
    heldOut: between(0, 1, { open: 'most' })
      .default(0.05)
      .describe(
        'share of the documents that is not learned from: how well the encoder guesses there is measured',
      ),
    tokens: whole(64)
      .default(1024)
      .describe(
        'a batch is computed in parts of at most so many padded tokens: bounds the memory, changes nothing else',
      ),
  },
  needsVectors: () => 'makes no vectors to rebuild texts from',
  oneEncoder: true,
  pools: true,
  takes: ['batch'],
} as const;
