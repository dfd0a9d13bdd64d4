import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyze, cjkAnalyzer, englishAnalyzer } from '../../text/analyzers/index.js';
import { makeSnippet, type SnippetOptions } from './snippet.js';

const terms = (query: string, analyzer = englishAnalyzer) =>
  new Map(analyze(analyzer, query).map((term) => [term, 1]));
const english = (query: string, length?: number): SnippetOptions => ({
  analyzer: englishAnalyzer,
  terms: terms(query),
  length,
});
const marked = (text: string, options: SnippetOptions): string[] => {
  const snippet = makeSnippet(text, options);
  return snippet.highlights.map(([start, end]) => snippet.text.slice(start, end));
};

const filler = 'Lorem ipsum dolor sit amet. '.repeat(20);

test('the window in which most terms stand together, as the index sees them', () => {
  const text = `${filler}A runner. ${filler}Dogs were running in parks. ${filler}`;
  const { text: shown, cut } = makeSnippet(text, english('run dog park', 60));
  expect(shown).toContain('Dogs were running in parks');
  expect(shown.length).toBeLessThanOrEqual(60);
  expect(cut).toEqual({ before: true, after: true });
  expect(marked(text, english('run dog park', 60))).toEqual(['Dogs', 'running', 'parks']);
});

test('the beginning where no term is there; short texts whole', () => {
  expect(makeSnippet(filler, english('zebra', 50))).toMatchObject({
    text: 'Lorem ipsum dolor sit amet. Lorem ipsum dolor sit',
    start: 0,
    highlights: [],
    cut: { before: false, after: true },
  });
  expect(makeSnippet('A zebra\nruns', english('zebra'))).toMatchObject({
    text: 'A zebra runs',
    cut: { before: false, after: false },
    highlights: [[2, 7]],
  });
  expect(makeSnippet('', english('zebra')).text).toBe('');
});

test('rare terms count more than frequent ones', () => {
  const text = `common common words ${filler} rare ${filler}`;
  const options = {
    analyzer: englishAnalyzer,
    terms: new Map([...terms('common'), ['rare', 9]]),
    length: 40,
  };
  expect(makeSnippet(text, options).text).toContain('rare');
});

test('overlapping bigrams make one highlight', () => {
  const options = { analyzer: cjkAnalyzer, terms: terms('中国人', cjkAnalyzer) };
  expect(marked('我是中国人。', options)).toEqual(['中国人']);
});

test('always a piece of the text, with highlights inside', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('dog', 'parks', 'x', '😀', '\n', 'verylongwordwithoutend', ', '), {
        maxLength: 60,
      }),
      fc.integer({ min: 5, max: 80 }),
      (words, length) => {
        const text = words.join(' ');
        const snippet = makeSnippet(text, english('dogs park', length));
        expect(text.replace(/\s/g, ' ').slice(snippet.start)).toMatch(
          new RegExp(`^${snippet.text.replace(/[.*+?^${'$'}{}()|[\]\\]/g, '\\$&')}`),
        );
        expect(snippet.text.isWellFormed?.() ?? true).toBe(true);
        for (const [start, end] of snippet.highlights) {
          expect(['dog', 'parks']).toContain(snippet.text.slice(start, end));
        }
        const found = words.some((word) => word === 'dog' || word === 'parks');
        expect(snippet.highlights.length > 0).toBe(found);
      },
    ),
  );
});

test('the marks around code are not shown, and places stay', () => {
  const text = 'Run it:\n\n```js\nstart(engine);\n```\n\nThen wait.';
  const snippet = makeSnippet(text, { analyzer: englishAnalyzer, terms: new Map([['engin', 1]]) });
  expect(snippet.text).not.toContain('`');
  const [[from, to]] = snippet.highlights;
  expect(text.slice(snippet.start + from, snippet.start + to)).toBe('engine');
});
