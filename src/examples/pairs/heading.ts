import { whole } from '../../base/settings.js';
import { wordSpans } from '../../text/words.js';
import { pairMaker, titled } from './pair-maker.js';
import { withoutHeading } from './without-heading.js';

/** A heading asks for what stands under it; one that says little alone ("Installation") with the title before it. */
export const headingMaker = pairMaker({
  name: 'heading',
  description: 'a heading, with the title before it where it is short, asks for the section under it',
  origin: 'documents with headings',
  natural: true,
  options: {
    aloneFrom: whole(1).default(4).describe('words from which a heading needs no title before it'),
  },
  *make({ title, passages, goesOn }, _, { aloneFrom }) {
    // What begins a further part of a file goes on under its heading.
    let before = goesOn ? passages[0].headings.join('\n') : undefined;
    for (const { number, headings, text } of passages) {
      const heading = headings.at(-1);
      const trail = headings.join('\n');
      const isFirst = trail !== before;
      before = trail;
      if (heading === undefined || !isFirst || wordSpans(heading).length === 0) continue;
      const positive = withoutHeading(text, heading);
      if (positive === '') continue;
      const alone = wordSpans(heading).length >= aloneFrom;
      yield { query: alone ? heading : titled(title, heading), document: number, positive };
    }
  },
});
