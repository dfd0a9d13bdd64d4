import { between } from '../../base/settings.js';
import type { Random } from '../../engine/random.js';
import { wordSpans } from '../../text/words.js';
import { pairMaker } from './pair-maker.js';

/** Less than this is no text to take two parts of. */
const LEAST_WORDS = 12;
const LEAST_CROP = 4;

/**
 * Two parts of a text, each taken by chance and with some words left out (Contriever, Izacard et al. 2021, arXiv:2112.09118):
 * from 5 to 50 % of its length, every tenth word deleted.
 */
export const cropsMaker = pairMaker({
  name: 'crops',
  description: 'a random part of a text asks for another one, both with words left out (Contriever)',
  origin: 'Izacard et al. 2021',
  options: {
    least: between(0, 1, { open: 'least' })
      .default(0.05)
      .describe('the shortest part, as a share of the text'),
    most: between(0, 1, { open: 'least' }).default(0.5).describe('the longest part'),
    delete: between(0, 1, { open: 'most' }).default(0.1).describe('the share of words that is left out'),
  },
  check: ({ least, most }) =>
    least <= most
      ? []
      : [
          {
            level: 'error',
            field: 'least',
            message: `expected at most the longest part (${most}), got ${least}`,
          },
        ],
  *make({ passages }, random, options) {
    for (const { number, text } of passages) {
      const words = wordSpans(text);
      if (words.length < LEAST_WORDS) continue;
      const crop = (): string => cropOf(text, words, random, options);
      yield { query: crop(), document: number, positive: crop() };
    }
  },
});

function cropOf(
  text: string,
  words: readonly { start: number; end: number }[],
  random: Random,
  { least, most, delete: deleted }: { least: number; most: number; delete: number },
): string {
  const share = least + (most - least) * random.uniform();
  const length = Math.min(words.length, Math.max(LEAST_CROP, Math.round(share * words.length)));
  const first = random.integer(words.length - length + 1);
  const kept: string[] = [];
  for (let i = first; i < first + length; i++) {
    // With the punctuation that follows the word; the gap before the next one says whether they are written apart.
    const next = i + 1 < words.length ? words[i + 1].start : text.length;
    const dropped = random.uniform() < deleted;
    if (!dropped || (kept.length === 0 && i === first + length - 1))
      kept.push(text.slice(words[i].start, next));
  }
  return kept.join('').trim();
}
