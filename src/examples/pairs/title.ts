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
  *make({ title, isFileName, passages, goesOn }, _, { minWords }) {
    const query = isFileName ? wordsOfName(title) : title;
    // How a file goes on is not how it begins.
    if (goesOn || query === undefined || wordSpans(query).length < minWords) return;
    const first = passages.find(({ text }) => text.trim() !== '');
    const positive = first && withoutHeading(first.text, title);
    if (first && positive) yield { query, document: first.number, positive };
  },
});

/** Words of a file's name from which it says something: not "2024-05-01" or "index". */
const FEWEST_WORDS = 2;
const ENDING = /\.[a-z]\w{0,9}$/;

/** What a file is called, as somebody would ask for it: `how-to-sail.txt` by "how to sail". */
function wordsOfName(name: string): string | undefined {
  const words = name
    .replace(ENDING, '')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .split(/[\s._-]+/);
  return words.filter((word) => /\p{L}{2}/u.test(word)).length < FEWEST_WORDS
    ? undefined
    : words.join(' ').trim();
}
