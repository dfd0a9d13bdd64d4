import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitText } from '../../text/split-text.js';
import { wordSpans } from '../../text/words.js';
import { cropsMaker } from './crops.js';
import { faqMaker } from './faq.js';
import { generatedMaker } from './generated-queries.js';
import { headingMaker } from './heading.js';
import { ictMaker } from './ict.js';
import { pairMakers } from './kinds.js';
import { linksMaker } from './links.js';
import { anySource, pairMakerConformance, pairsOf } from './pair-maker.conformance.js';
import type { PairPassage, PairSource } from './pair-maker.js';
import { pieceOf, recurringSpans } from './recurring-spans.js';
import { sameTextMaker } from './same-text.js';
import { spiderMaker } from './spider.js';
import { titleMaker } from './title.js';

function sourceOf(title: string, ...passages: Partial<PairPassage>[]): PairSource {
  return {
    title,
    passages: passages.map((passage, number) => ({
      number,
      title: [title, ...(passage.headings ?? [])].join(' > '),
      text: '',
      headings: [],
      links: [],
      ...passage,
    })),
  };
}

const FILLER = 'There are many other things to say about it, which nobody has written down so far.';
/** A guide that gives something to every maker. */
const GUIDE = sourceOf(
  'Rivers',
  { text: `The river Loire is long. It runs through France to the sea. ${FILLER}` },
  {
    text: `Castles stand along the river Loire since 1400. ${FILLER}`,
    headings: ['Castles of the Loire valley'],
  },
  {
    text: `Fish are rare. Nobody knows the reason of this. ${FILLER}`,
    headings: ['Why are there few fish?'],
  },
  {
    text: 'See the great castles.',
    links: [{ text: 'the great castles', target: 1, to: 'rivers.md#castles' }],
  },
);

for (const maker of pairMakers.kinds) pairMakerConformance(maker, GUIDE);
pairMakerConformance(
  generatedMaker((document) => [`what is told in ${document}`, ' ', `who wrote ${document}`]),
  GUIDE,
);

test('ict: the sentence is cut out nine times of ten, and is a sentence of its text', () => {
  let cut = 0;
  let all = 0;
  for (let seed = 0; seed < 200; seed++) {
    for (const { query, document, positive } of pairsOf(ictMaker, GUIDE, seed)) {
      expect(GUIDE.passages[document].text).toContain(query);
      if (document === 3) continue;
      all++;
      if (positive !== undefined) cut++;
    }
  }
  expect(cut / all).toBeGreaterThan(0.85);
  expect(cut / all).toBeLessThan(0.95);
});

test('ict: what is learned from does not contain the query unless the whole document is', () => {
  fc.assert(
    fc.property(anySource, fc.integer(), (source, seed) => {
      for (const { query, positive, document } of pairsOf(ictMaker, source, seed)) {
        const { title, text } = source.passages.find(({ number }) => number === document)!;
        expect(text).toContain(query);
        if (positive !== undefined && !title.includes(query)) expect(positive).not.toContain(query);
      }
    }),
  );
});

test('ict: a text of one sentence is used with it; pages of links are not used', () => {
  const one = sourceOf('A', { text: 'There is only one sentence here.' });
  expect(pairsOf(ictMaker, one, 3, { keep: 0 })).toEqual([{ query: one.passages[0].text, document: 0 }]);
  expect(
    pairsOf(ictMaker, sourceOf('List of rivers', { text: 'The Loire. The Rhine flows far away.' })),
  ).toEqual([]);
});

test('spider: query and answer are of different passages that both have the span, the negative lacks it', () => {
  const loire = /river loire/i;
  const source = sourceOf(
    'France',
    { text: `Ships went up the river Loire for many years with salt. ${FILLER}` },
    {
      text: `Kings built their houses near the river Loire and lived there with horses, dogs and servants for all their days.`,
    },
    { text: 'Wine grows in the south, where it is warm in summer.' },
  );
  let [kept, seen] = [0, 0];
  for (let seed = 0; seed < 60; seed++) {
    for (const { query, document, positive, negative } of pairsOf(spiderMaker, source, seed, { most: 2 })) {
      if (!loire.test(positive!)) continue;
      seen++;
      expect(document).toBeLessThan(2);
      expect(negative).toContain('Wine grows');
      if (loire.test(query)) kept++;
      else expect(query).not.toMatch(/loire/i);
      // The query is of the other passage.
      expect(/ships|salt|years/i.test(query) && document === 0).toBe(false);
    }
  }
  expect(seen).toBeGreaterThan(30);
  expect(kept / seen).toBeGreaterThan(0.3);
  expect(kept / seen).toBeLessThan(0.7);
});

test('spider: a span that is cut out of the query is not in it, the answer has it, the negative lacks it', () => {
  const options = { keep: 0, shortest: 1, longest: 30, pieceWords: 20, least: 1, most: 3 };
  const has = (text: string, span: string): boolean => pieceOf(text).joined.includes(` ${span} `);
  fc.assert(
    fc.property(anySource, fc.integer(), (source, seed) => {
      const pieces = source.passages.flatMap(({ text }) =>
        splitText(text, { maxWords: options.pieceWords }).map(pieceOf),
      );
      const spans = recurringSpans(pieces, options).map(({ length, places: [{ piece, first }] }) =>
        pieces[piece].lower.slice(first, first + length).join(' '),
      );
      for (const { query, positive, negative } of pairsOf(spiderMaker, source, seed, options)) {
        expect(wordSpans(query).length).toBeLessThanOrEqual(31);
        const asked = spans.filter(
          (span) => has(positive!, span) && (negative === undefined || !has(negative, span)),
        );
        // A span around which nothing stands asks itself.
        const isAlone = (span: string): boolean =>
          ` ${pieceOf(query).lower.join(' ')} `.replaceAll(` ${span}`, '').trim() === '';
        expect(asked.filter((span) => !has(query, span) || isAlone(span))).not.toEqual([]);
      }
    }),
    { numRuns: 500 },
  );
});

test('spider: what is left around a span does not make up the span again', () => {
  const piece = `deep deep learning learning ${'rivers and seas '.repeat(3)}`;
  const source = sourceOf('', { text: piece }, { text: `deep learning ${FILLER}` }, { text: FILLER });
  for (let seed = 0; seed < 40; seed++) {
    for (const { query, document } of pairsOf(spiderMaker, source, seed, { keep: 0, most: 2 })) {
      if (document === 1) expect(query).not.toContain('deep learning');
    }
  }
});

test('recurring spans: the longest with their places, in English and Chinese, without function words at the ends', () => {
  const spansOf = (...texts: string[]): string[] => {
    const pieces = texts.map(pieceOf);
    return recurringSpans(pieces, { least: 1, most: 5 }).map(({ length, places: [{ piece, first }] }) =>
      pieces[piece].lower.slice(first, first + length).join(' '),
    );
  };
  expect(spansOf('We saw the Bay of Biscay today', 'In the Bay of Biscay it rained')).toEqual([
    'bay of biscay',
  ]);
  expect(spansOf('Biscay and the Bay of Biscay', 'the Bay of Biscay', 'Biscay')).toEqual([
    'bay of biscay',
    'biscay',
  ]);
  expect(spansOf('built in 1984 by two', 'since 1984 it')).toEqual(['1984']);
  expect(spansOf('他在北京大学读书', '北京大学的学生')).toEqual(['北京 大学']);
});

test('crops: parts of the text, from 5 to 50 % of it', () => {
  const words = Array.from({ length: 200 }, (_, i) => `w${i}`);
  const source = sourceOf('', { text: words.join(' ') });
  for (let seed = 0; seed < 50; seed++) {
    const [{ query, positive }] = pairsOf(cropsMaker, source, seed);
    for (const crop of [query.split(' '), positive!.split(' ')]) {
      const places = crop.map((word) => words.indexOf(word));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places.at(-1)! - places[0]).toBeLessThan(100);
    }
    expect(query).not.toBe(positive);
  }
});

test('same-text: twice the same', () => {
  for (const { query, positive } of pairsOf(sameTextMaker, GUIDE)) expect(positive).toBe(query);
});

test('title, heading, faq and links: what documents offer by themselves', () => {
  expect(pairsOf(titleMaker, GUIDE)).toEqual([
    { query: 'Rivers', document: 0, positive: GUIDE.passages[0].text },
  ]);
  expect(pairsOf(titleMaker, sourceOf('Rivers', { text: 'Rivers: they run.' }))[0].positive).toBe(
    'they run.',
  );
  expect(pairsOf(headingMaker, GUIDE).map(({ query, document }) => [query, document])).toEqual([
    ['Castles of the Loire valley', 1],
    ['Why are there few fish?', 2],
  ]);
  const short = sourceOf(
    'Rivers',
    { text: 'By boat.', headings: ['Travel'] },
    { text: 'More.', headings: ['Travel'] },
  );
  expect(pairsOf(headingMaker, short)).toEqual([
    { query: 'Rivers Travel', document: 0, positive: 'By boat.' },
  ]);
  expect(pairsOf(faqMaker, GUIDE)).toEqual([
    { query: 'Why are there few fish?', document: 2, positive: GUIDE.passages[2].text },
  ]);
  expect(pairsOf(linksMaker, GUIDE)).toEqual([{ query: 'the great castles', document: 1 }]);
});

test('faq: questions in the text, each with its own answer; no code', () => {
  const text =
    'Q: How long is it? A: About a thousand km long. Q: Where does it end? A: It ends in the sea. `a ?? b`\n\n```js\nconst x = a ? b : c;\n// What is this now? Nothing to see here.\n```';
  expect(pairsOf(faqMaker, sourceOf('', { text })).map(({ query, positive }) => [query, positive])).toEqual([
    ['How long is it?', 'About a thousand km long.'],
    ['Where does it end?', expect.stringMatching(/^It ends in the sea\./)],
  ]);
  const chinese = sourceOf('', { text: '为什么天是蓝的？因为光被空气散射。' });
  expect(pairsOf(faqMaker, chinese)).toEqual([
    { query: '为什么天是蓝的？', document: 0, positive: '因为光被空气散射。' },
  ]);
});

test('a further part of a long file neither begins anew nor has the heading again that it goes on under', () => {
  const part = (goesOn: boolean): PairSource => ({
    ...sourceOf(
      'Why rivers flow?',
      { text: 'They go on as they were.', headings: ['What is a river made of?'] },
      { text: 'By boat, or on foot.', headings: ['How do people travel?'] },
    ),
    goesOn,
  });
  const queries = (goesOn: boolean) =>
    [titleMaker, headingMaker, faqMaker].map((maker) =>
      pairsOf(maker, part(goesOn)).map(({ query }) => query),
    );
  const both = ['What is a river made of?', 'How do people travel?'];
  expect(queries(false)).toEqual([['Why rivers flow?'], both, both]);
  expect(queries(true)).toEqual([[], both.slice(1), both.slice(1)]);
});

test.each([
  ['how-to-sail', ['how to sail']],
  ['pairMaker.test.ts', ['pair Maker test']],
  ['Minutes of the board 2024', ['Minutes of the board 2024']],
  ['2024-05-01', []],
  ['IMG_0001', []],
  ['index', []],
  ['x.y.z', []],
])('title: of the file name %j, what says something', (title, queries) => {
  const source = { ...sourceOf(title, { text: 'All that is to be said of it.' }), isFileName: true };
  expect(pairsOf(titleMaker, source).map(({ query }) => query)).toEqual(queries);
  // As a title that somebody gave it is taken as it is.
  expect(pairsOf(titleMaker, { ...source, isFileName: false })[0].query).toBe(title);
});
