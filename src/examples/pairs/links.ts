import { whole } from '../../base/settings.js';
import { wordSpans } from '../../text/words.js';
import { pairMaker } from './pair-maker.js';

/** Words of links that say nothing about where they lead. */
const EMPTY =
  /^(?:here|this|this page|click here|read more|more|see also|details?|link|next|previous|back|top|docs?)$/i;

/** The text of a link from another file asks for what it leads to: how people call it who do not write it. */
export const linksMaker = pairMaker({
  name: 'links',
  description: 'the text of a link asks for the section that it leads to',
  origin: 'links between files',
  natural: true,
  options: {
    minWords: whole(1).default(2).describe('words of a link at least'),
  },
  *make({ passages }, _, { minWords }) {
    const seen = new Set<string>();
    for (const { links, number } of passages) {
      for (const { text, target } of links) {
        const key = `${target} ${text.toLowerCase()}`;
        if (target === number || seen.has(key) || EMPTY.test(text.trim())) continue;
        seen.add(key);
        if (wordSpans(text).length >= minWords) yield { query: text, document: target };
      }
    }
  },
});
