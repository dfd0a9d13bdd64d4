import { expect, test } from 'vitest';
import { makeSnippet } from '../../../search/snippet.js';
import { englishAnalyzer } from '../../../text/analyzers/index.js';
import { codeLines } from './code-lines.js';

const TEXT = `Some prose about closing files.

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

More prose.`;

const lines = (word: string) =>
  codeLines(TEXT, makeSnippet(TEXT, { analyzer: englishAnalyzer, terms: new Map([[word, 1]]) }), 41);

test('what is found in a program is shown as its lines, with their indentation and marks', () => {
  expect(lines('prose')).toBeUndefined();
  expect(lines('promis')).toEqual([
    { text: 'export class Reader {', highlights: [] },
    { text: '  async open(path: string): Promise<void>', highlights: [[28, 35]] },
    { text: '    this.handle = await open(path);', highlights: [] },
    { text: '    if (this.handle) {', highlights: [] },
  ]);
});
