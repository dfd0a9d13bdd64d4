import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { wordCount } from '../../text/split-text.js';
import { withFolder } from '../../text/tokenizer.fixture.js';
import type { Dataset, Document } from '../dataset.js';
import { describeLeftOut } from '../left-out.js';
import { openDataset } from '../open.js';
import { formatProblem, type Problem } from '../problem.js';
import { folderSources, openFolder } from './folder.js';

async function write(folder: string, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const all = (dataset: Dataset): Promise<Document[]> => collect(dataset.documents());

const ids = (documents: Document[]): string[] => documents.map(({ id }) => id);

test('reads Markdown, HTML and text into passages with title, place and stable ids', async () => {
  await withFolder(async (folder) => {
    await write(folder, {
      'guide/start.md': '# Start\n\nHello to all of you.\n\n## Install\n\nRun it.\n\nThen rest.',
      'guide/matter.markdown':
        '---\ntitle: Matter\n---\nFront matter gives the title.\n\n# Start\n\nBack to where it began.',
      'b.HTML': '<title>Page – Site</title><h1>Page</h1><h2>Part</h2><p>Text</p>',
      'notes.txt': 'Plain text.\r\nSecond line.',
      'empty.md': '',
      'data.json': '{"not": "read"}',
      '.hidden.md': 'hidden',
      '.git/x.md': 'hidden',
      'node_modules/x/readme.md': 'dependency',
    });
    const dataset = await openFolder(folder);
    const documents = await all(dataset);
    expect(documents).toEqual([
      {
        id: 'b.HTML#1',
        title: 'Page – Site > Part',
        text: 'Text',
        metadata: { path: 'b.HTML', heading: 'Page > Part', position: 1 },
      },
      {
        id: 'guide/matter.markdown#1',
        title: 'Matter',
        text: 'Front matter gives the title.',
        metadata: { path: 'guide/matter.markdown', heading: '', position: 1 },
      },
      {
        id: 'guide/matter.markdown#2',
        title: 'Matter > Start',
        text: 'Back to where it began.',
        metadata: { path: 'guide/matter.markdown', heading: 'Start', position: 2, anchor: 'start' },
      },
      {
        id: 'guide/start.md#1',
        title: 'Start',
        text: 'Hello to all of you.',
        metadata: { path: 'guide/start.md', heading: 'Start', position: 1, anchor: 'start' },
      },
      {
        id: 'guide/start.md#2',
        title: 'Start > Install',
        text: 'Run it.\n\nThen rest.',
        metadata: { path: 'guide/start.md', heading: 'Start > Install', position: 2, anchor: 'install' },
      },
      {
        id: 'notes.txt#1',
        title: 'notes',
        text: 'Plain text.\nSecond line.',
        metadata: { path: 'notes.txt', heading: '', position: 1, line: 1 },
      },
    ]);
    expect(await all(dataset)).toEqual(documents);
    expect(await collect(dataset.queries())).toEqual([]);
    expect(await dataset.splits()).toEqual([]);
    await expect(dataset.qrels('test')).rejects.toThrow('no split "test"');
  });
});

test('splits long sections, with overlap when asked to', async () => {
  await withFolder(async (folder) => {
    const text = Array.from({ length: 100 }, (_, i) => `word${i}`).join(' ');
    await write(folder, { 'a.md': `# A\n\n${text}\n\n## B\n\nnot very long either` });
    const plain = await all(await openFolder(folder, { maxWords: 40 }));
    expect(ids(plain)).toEqual(['a.md#1', 'a.md#2', 'a.md#3', 'a.md#4']);
    expect(plain.slice(0, 3).flatMap((passage) => passage.text.split(' '))).toEqual(text.split(' '));
    expect(plain[3]).toMatchObject({ title: 'A > B', text: 'not very long either' });
    const overlapping = await all(await openFolder(folder, { maxWords: 40, overlap: 10 }));
    for (const passage of overlapping) expect(wordCount(passage.text)).toBeLessThanOrEqual(40);
    expect(overlapping[1].text.split(' ').slice(0, 10)).toEqual(overlapping[0].text.split(' ').slice(-10));
    await expect(openFolder(folder, { maxWords: 0 })).rejects.toThrow('maxWords');
    await expect(openFolder(folder, { maxWords: 40, overlap: 30 })).rejects.toThrow('overlap');
  });
});

test('include and exclude choose by path', async () => {
  await withFolder(async (folder) => {
    await write(folder, { 'a.md': 'a', 'old/b.md': 'b', 'new/c.md': 'c', 'new/deep/d.txt': 'd' });
    const chosen = async (options: Parameters<typeof openFolder>[1]) =>
      ids(await all(await openFolder(folder, options)));
    expect(await chosen({ include: ['new/**'] })).toEqual(['new/c.md#1', 'new/deep/d.txt#1']);
    expect(await chosen({ exclude: ['old/**', '**/*.txt'] })).toEqual(['a.md#1', 'new/c.md#1']);
    expect(await chosen({ include: ['**/*.md'], exclude: ['a.md'] })).toEqual(['new/c.md#1', 'old/b.md#1']);
    await expect(chosen({ include: ['none/**'] })).rejects.toThrow(
      'no files that include and exclude let through',
    );
  });
});

test('follows links, but not in circles, and passes over those that lead nowhere', async () => {
  await withFolder(async (folder) => {
    await write(folder, { 'docs/a.md': 'a', 'elsewhere/b.md': 'b' });
    await symlink(join(folder, 'docs'), join(folder, 'docs/loop'));
    await symlink(join(folder, 'elsewhere'), join(folder, 'docs/linked'));
    await symlink(join(folder, 'gone.md'), join(folder, 'docs/dangling.md'));
    await symlink(folder, join(folder, 'docs/above'));
    expect(ids(await all(await openFolder(join(folder, 'docs'))))).toEqual(['a.md#1', 'linked/b.md#1']);
  });
});

test('says what is wrong with the folder or the file', async () => {
  await withFolder(async (folder) => {
    await expect(openFolder(folder)).rejects.toThrow(
      'no files, expected .md, .markdown, .mdx, .html, .htm, .txt',
    );
    await expect(openFolder(join(folder, 'none'))).rejects.toThrow('none: no such folder');
    await write(folder, { 'letters/a.docx': 'PK', 'letters/b.docx': 'PK' });
    await expect(openFolder(join(folder, 'letters'))).rejects.toThrow(
      'no texts, 2 files of other types were left out (.docx 2), expected .md',
    );
    await write(folder, { 'a.md': '', 'b.txt': '' });
    await expect(openFolder(folder)).rejects.toThrow('no text in it: all of its 2 files are empty');
    await rm(join(folder, 'b.txt'));
    await write(folder, { 'a.md': '  \n' });
    await expect(openFolder(join(folder, 'a.md'))).rejects.toThrow('a.md: expected a folder, got a file');
    await expect(openFolder(folder)).rejects.toThrow('no text in it: its only file is empty or blank');
    await expect(openDataset(join(folder, 'a.md'))).rejects.toThrow('a.md: no text in it');
    await write(folder, { 'broken.txt': Buffer.from('good\nna\xefve', 'latin1') });
    await expect(openFolder(folder).then(all)).rejects.toThrow('broken.txt:2: not valid UTF-8');
    await write(folder, { 'broken.txt': Buffer.from('\ufeffwide', 'utf16le') });
    expect(await all(await openFolder(folder))).toMatchObject([{ id: 'broken.txt#1', text: 'wide' }]);
  });
});

test('ids can stand in run files and no two paths give one id; metadata has the real path', async () => {
  await withFolder(async (folder) => {
    await write(folder, {
      'my notes/3\tü.md': 'a',
      'my%20notes/b.md': 'b',
      'my notes/b.md': 'c',
      'x\u0001.txt': 'd',
    });
    const documents = await all(await openFolder(folder));
    expect(documents.map(({ id, metadata }) => [id, metadata?.path])).toEqual([
      ['my%20notes/3%09ü.md#1', 'my notes/3\tü.md'],
      ['my%20notes/b.md#1', 'my notes/b.md'],
      ['my%2520notes/b.md#1', 'my%20notes/b.md'],
      ['x%01.txt#1', 'x\u0001.txt'],
    ]);
  });
});

test('a file that cannot be read is a problem of its own and left out', async () => {
  await withFolder(async (folder) => {
    await write(folder, {
      'a.md': 'good',
      'cut.txt': gzipSync('a text that was cut off').subarray(0, 20),
      'latin.txt': Buffer.from('one\nna\xefve\nna\xefve', 'latin1'),
      'z.md': 'good, too',
    });
    const problems: Problem[] = [];
    const dataset = await openFolder(folder, { onProblem: (problem) => problems.push(problem) });
    expect(ids(await all(dataset))).toEqual(['a.md#1', 'z.md#1']);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
      ['unreadable', 'error'],
      ['broken-utf8', 'error'],
    ]);
    expect(problems.map(formatProblem)).toEqual([
      expect.stringContaining(`${join(folder, 'cut.txt')}: broken gzip data`),
      `${join(folder, 'latin.txt')}:2: not valid UTF-8`,
    ]);
    for (const { hint } of problems) expect(hint).toContain('--skip-errors');
  });
});

// Nothing is unreadable to root.
test.skipIf(process.getuid?.() === 0)(
  'neither does a folder that cannot be read stop the others',
  async () => {
    await withFolder(async (folder) => {
      await write(folder, { 'a.md': 'good', 'locked/b.md': 'b' });
      await chmod(join(folder, 'locked'), 0);
      const problems: Problem[] = [];
      const dataset = await openFolder(folder, { onProblem: (problem) => problems.push(problem) });
      expect(ids(await all(dataset))).toEqual(['a.md#1']);
      expect(problems).toMatchObject([{ code: 'unreadable', file: join(folder, 'locked') }]);
      await chmod(join(folder, 'locked'), 0o700);
    });
  },
);

test('files of other types are counted by their ending, but for those excluded', async () => {
  await withFolder(async (folder) => {
    await write(folder, {
      'a.md': 'a',
      'b.pptx': '',
      'c/d.PPTX': '',
      'e.docx': '',
      LICENSE: '',
      'f/g.png': '',
    });
    const { leftOut } = await folderSources(folder, { exclude: ['f/**'] });
    expect(leftOut).toEqual({ '.pptx': 2, '.docx': 1, '': 1 });
    expect(describeLeftOut(leftOut)).toBe(
      '4 files of other types were left out (.pptx 2, no ending 1, .docx 1)',
    );
    expect(describeLeftOut({ '.pdf': 1 })).toBe('1 file of another type was left out (.pdf)');
    const many = Object.fromEntries(['.a', '.b', '.c', '.d', '.e', '.f', '.g'].map((ending) => [ending, 1]));
    expect(describeLeftOut(many)).toMatch(/^7 files .* \(.a 1, .b 1, .c 1, .d 1, .e 1, others 2\)$/);
    expect(describeLeftOut({})).toBeUndefined();
  });
});

test('code keeps its indentation, also where it is cut, and says what it is', async () => {
  await withFolder(async (folder) => {
    const lines = Array.from({ length: 12 }, (_, i) => `${'    '.repeat(1 + (i % 2))}call(${i}, x);`);
    await write(folder, { 'a.md': `# A\n\nLike this:\n\n\`\`\`js\n${lines.join('\n')}\n\`\`\`\n` });
    const [whole] = await all(await openFolder(folder));
    expect(whole.text).toBe(`Like this:\n\n\`\`\`js\n${lines.join('\n')}\n\`\`\``);
    const parts = await all(await openFolder(folder, { maxWords: 14 }));
    expect(parts.length).toBeGreaterThan(1);
    for (const { text } of parts) expect(text.match(/^```/gm)!.length % 2).toBe(0);
    const code = parts.flatMap(({ text }) => text.split('\n').filter((line) => line.includes('call')));
    expect(code).toEqual(lines);
    expect(parts[1].text.startsWith('```js\n    ')).toBe(true);
  });
});

test('a passage of a single word goes with its neighbour, heading and all', async () => {
  await withFolder(async (folder) => {
    await write(folder, {
      'a.md':
        '# Options\n\nAll of them have defaults.\n\n## Timeout\n\n30s\n\n## Port\n\nThe port to listen on.',
      'first.md': 'Hi.\n\n# Guide\n\nThis is where it begins.',
      'lone.md': 'Hi.',
    });
    const passages = await all(await openFolder(folder));
    expect(passages.map(({ id, text }) => [id, text])).toEqual([
      ['a.md#1', 'All of them have defaults.\n\nTimeout\n30s'],
      ['a.md#2', 'The port to listen on.'],
      ['first.md#1', 'Hi.\n\nThis is where it begins.'],
      ['lone.md#1', 'Hi.'],
    ]);
  });
});

test('passages say where they are: by the anchor of their heading, in plain text by the line', async () => {
  await withFolder(async (folder) => {
    const line = 'seven words stand in this very line';
    await write(folder, {
      'a.md':
        '# Set-up\n\nOne two three four.\n\n## What’s new?\n\nFive six seven eight.\n\n# B\n\n## What’s new?\n\nNine ten eleven twelve.',
      'b.html': '<h1 id="top">T</h1><p>some words that are enough</p>',
      'c.txt': Array.from({ length: 10 }, () => line).join('\n'),
    });
    const passages = await all(await openFolder(folder, { maxWords: 28 }));
    const placed = passages.map(({ metadata }) => metadata!.anchor ?? metadata!.line);
    expect(placed).toEqual(['set-up', 'whats-new', 'whats-new-1', 'top', 1, 5, 9]);
  });
});

test('a title does not repeat what the page or a heading above has said', async () => {
  await withFolder(async (folder) => {
    const page = (title: string, ...headings: string[]) =>
      `<title>${title}</title>${headings.map((heading, i) => `<h${i + 1}>${heading}</h${i + 1}>`).join('')}<p>enough words</p>`;
    await write(folder, {
      'a.html': page('File system | Node Documentation', 'Node documentation', 'File system', 'Promises'),
      'b.html': page('Book', 'Cells', 'Cells', 'Using cells'),
    });
    expect((await all(await openFolder(folder))).map(({ title }) => title)).toEqual([
      'File system | Node Documentation > Promises',
      'Book > Cells > Using cells',
    ]);
  });
});

test('files that are nested without end are left out by name, or read; the others are there', () =>
  withFolder(async (folder) => {
    await write(folder, {
      'good.md': 'a good text',
      'deep.html': `<body>${'<div>'.repeat(200_000)}deep`,
      'lists.md': Array.from({ length: 3000 }, (_, i) => `${'  '.repeat(i)}- item ${i}\n`).join(''),
      'quotes.md': `${'>'.repeat(50_000)} quoted`,
      'inline.md': `${'- '.repeat(20_000)}inner`,
    });
    const problems: Problem[] = [];
    const dataset = await openFolder(folder, { onProblem: (problem) => problems.push(problem) });
    const texts = (await all(dataset)).map(({ text }) => text).join('\n');
    for (const found of ['a good text', 'item 2999', 'quoted', 'inner']) expect(texts).toContain(found);
    expect(problems.map(({ file, message }) => [basename(file), message])).toEqual([
      ['deep.html', 'expected at most 2000 elements in each other, got more'],
    ]);
  }));
