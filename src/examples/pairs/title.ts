import { whole } from '../../base/settings.js';
import { wordSpans } from '../../text/words.js';
import { pairMaker } from './pair-maker.js';
import { withoutHeading } from './without-heading.js';

/** The title of a file or an article asks for how it begins, without its title. */
export const titleMaker = pairMaker({
  name: 'title',
  description: 'the title of a document asks for its text, without the title',
  origin: 'documents with titles',
  natural: true,
  options: {
    minWords: whole(1).default(1).describe('words of a title at least'),
  },
  *make({ title, passages, goesOn }, _, { minWords }) {
    // How a file goes on is not how it begins.
    if (goesOn || wordSpans(title).length < minWords) return;
    const first = passages.find(({ text }) => text.trim() !== '');
    const positive = first && withoutHeading(first.text, title);
    if (first && positive) yield { query: title, document: first.number, positive };
  },
});
