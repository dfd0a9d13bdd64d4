import { expect, test } from 'vitest';
import { englishAnalyzer } from '../../text/analyzers/index.js';
import { makeSnippet } from './snippet.js';
import { snippetParts } from './snippet-parts.js';

const TEXT = `Some prose about closing files, which is said at some length so that a window over it holds nothing else than it.

\`\`\`ts
export class Reader {
  async open(path: string): Promise<void> {
    this.handle = await open(path);
    if (this.handle) {
      this.begin();
    }
  }
}
\`\`\`

More prose on what was opened.`;

const partsOf = (word: string, length?: number) =>
  snippetParts(TEXT, makeSnippet(TEXT, { analyzer: englishAnalyzer, terms: new Map([[word, 1]]), length }));

test('prose alone flows', () => {
  expect(partsOf('length', 60)).toBeUndefined();
});

test('what is found in a program is shown as its lines, with their indentation and marks', () => {
  const [{ isCode, text, highlights }, ...more] = partsOf('promis', 60)!;
  expect(more).toEqual([]);
  expect(isCode).toBe(true);
  expect(text.split('\n')).toEqual([
    'export class Reader {',
    '  async open(path: string): Promise<void> {',
    '    this.handle = await open(path);',
    '    if (this.handle) {',
  ]);
  expect(highlights.map(([from, to]) => text.slice(from, to))).toEqual(['Promise']);
});

test('prose beside a program is a part of its own, and the program keeps its lines', () => {
  const parts = partsOf('prose', 200)!;
  expect(parts.map(({ isCode }) => isCode)).toEqual([false, true]);
  expect(parts[0].text).toMatch(/^Some prose about .* than it\.$/);
  expect(parts[0].highlights.map(([from, to]) => parts[0].text.slice(from, to))).toEqual(['prose']);
  expect(parts[1].text.split('\n').slice(0, 2)).toEqual([
    'export class Reader {',
    '  async open(path: string): Promise<void> {',
  ]);
});

test('common indentation is left out, and words are marked where they stand', () => {
  const text = 'Before.\n\n```\n    if (a) {\n      run(b);\n    }\n```';
  const snippet = makeSnippet(text, { analyzer: englishAnalyzer, terms: new Map([['run', 1]]) });
  const code = snippetParts(text, snippet)!.find(({ isCode }) => isCode)!;
  expect(code).toEqual({ isCode: true, text: 'if (a) {\n  run(b);\n}', highlights: [[11, 14]] });
});
