import { whole } from '../../base/settings.js';
import { proseSpans } from '../../text/prose.js';
import { wordSpans } from '../../text/words.js';
import { pairMaker } from './pair-maker.js';

/**
 * A sentence asks for itself (SimCSE, Gao et al. 2021, arXiv:2104.08821): the two copies are encoded under different dropout
 * masks, so the model must have dropout, or there is nothing to learn.
 */
export const sameTextMaker = pairMaker({
  name: 'same-text',
  description:
    'a sentence asks for itself under another dropout mask (SimCSE); model.dropout must be above 0',
  origin: 'Gao et al. 2021',
  needsDropout: true,
  options: {
    minWords: whole(1).default(3).describe('words of a sentence at least'),
  },
  *make({ passages }, random, { minWords }) {
    for (const { number, text } of passages) {
      const usable = proseSpans(text).filter(
        ({ start, end }) => wordSpans(text.slice(start, end)).length >= minWords,
      );
      if (usable.length === 0) continue;
      const { start, end } = usable[random.integer(usable.length)];
      const sentence = text.slice(start, end);
      yield { query: sentence, document: number, positive: sentence };
    }
  },
});
