import { between, whole } from '../../base/settings.js';
import { proseSpans } from '../../text/prose.js';
import { wordSpans } from '../../text/words.js';
import { pairMaker, titled } from './pair-maker.js';

/** Encyclopedias' pages of links, which say nothing about what they list (ORQA leaves them out, too). */
const LIST_PAGE = /^(?:list|index|outline) of |\(disambiguation\)$/i;

/**
 * The Inverse Cloze Task (Lee et al. 2019, arXiv:1906.00300): a sentence asks for the text it was taken from. One time in ten it
 * stays in the text, so that matching words are learned, too; a text of one sentence is used with it only.
 */
export const ictMaker = pairMaker({
  name: 'ict',
  description: 'a sentence asks for the text that it was taken out of (inverse cloze task)',
  origin: 'Lee et al. 2019',
  options: {
    keep: between(0, 1).default(0.1).describe('how often the sentence stays in its text'),
    minWords: whole(1).default(4).describe('words of a sentence at least'),
    maxWords: whole(1).default(64).describe('words of a sentence at most'),
  },
  *make({ passages }, random, { keep, minWords, maxWords }) {
    for (const { number, title, text } of passages) {
      if (LIST_PAGE.test(title)) continue;
      const all = proseSpans(text);
      const usable = all.filter(({ start, end }) => {
        const words = wordSpans(text.slice(start, end)).length;
        return words >= minWords && words <= maxWords;
      });
      if (usable.length === 0) continue;
      const { start, end } = usable[random.integer(usable.length)];
      const query = text.slice(start, end);
      const stays = random.uniform() < keep || all.length === 1;
      if (stays) yield { query, document: number };
      else {
        const rest = `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
        // A text may say the same twice.
        yield { query, document: number, positive: titled(title, rest.replaceAll(query, ' ').trim()) };
      }
    }
  },
});
