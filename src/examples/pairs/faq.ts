import { whole } from '../../base/settings.js';
import { proseSpans } from '../../text/prose.js';
import { wordSpans } from '../../text/words.js';
import { type MadePair, type PairPassage, pairMaker } from './pair-maker.js';
import { withoutHeading } from './without-heading.js';

const QUESTION = /[?？]["'”’」』）)]*$/u;
const LABEL = /^(?:q(?:uestion)?|问|問)\s*\d*\s*[:：.)]\s*/iu;
const ANSWER_LABEL = /^(?:a(?:nswer)?|答)\s*\d*\s*[:：.)]\s*/iu;

/** A question that a document asks itself, in a heading, a title or a sentence, and what follows it. */
export const faqMaker = pairMaker({
  name: 'faq',
  description: 'a question in a heading, a title or the text asks for what follows it',
  origin: 'questions and answers',
  natural: true,
  options: {
    minWords: whole(1).default(3).describe('words of a question, and of an answer, at least'),
  },
  *make({ title, passages, goesOn }, _, { minWords }) {
    const enough = (text: string): boolean => wordSpans(text).length >= minWords;
    const headingOf = ({ headings }: PairPassage): string => headings.at(-1) ?? title;
    // What begins a further part of a file goes on under its heading.
    let before = goesOn ? headingOf(passages[0]) : undefined;
    for (const passage of passages) {
      const heading = headingOf(passage);
      const isFirst = heading !== before;
      before = heading;
      if (isFirst && QUESTION.test(heading) && enough(heading)) {
        const positive = withoutHeading(passage.text, heading);
        if (enough(positive)) yield { query: heading, document: passage.number, positive };
      }
      yield* asked(passage, enough);
    }
  },
});

/** Questions in the text itself; an answer goes on until the next one. */
function* asked({ number, text }: PairPassage, enough: (text: string) => boolean): Generator<MadePair> {
  const sentences = proseSpans(text);
  const isQuestion = sentences.map(({ start, end }) => QUESTION.test(text.slice(start, end)));
  for (const [i, { start, end }] of sentences.entries()) {
    if (!isQuestion[i] || isQuestion[i + 1] !== false) continue;
    const next = isQuestion.indexOf(true, i + 1);
    const query = text.slice(start, end).replace(LABEL, '');
    const answer = text.slice(end, next < 0 ? text.length : sentences[next].start).trim();
    const positive = answer.replace(ANSWER_LABEL, '').replaceAll(query, ' ').trim();
    if (enough(query) && enough(positive)) yield { query, document: number, positive };
  }
}
