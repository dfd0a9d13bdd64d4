import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Document } from '../../dataset.js';
import { type OpenOptions, openDataset } from '../../open.js';
import type { Problem } from '../../problem.js';
import { pdf, workbook } from './office.fixture.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-office-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, content: string | Uint8Array): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  return file;
}

async function read(
  path: string,
  options: OpenOptions = {},
): Promise<{ documents: Document[]; queries: string[]; problems: Problem[] }> {
  const problems: Problem[] = [];
  const dataset = await openDataset(path, { ...options, onProblem: (problem) => problems.push(problem) });
  const documents: Document[] = [];
  for await (const document of dataset.documents()) documents.push(document);
  const queries: string[] = [];
  for await (const { text } of dataset.queries()) queries.push(text);
  return { documents, queries, problems };
}

test('a sheet of questions and answers is pairs, whatever stands around it', async () => {
  const file = await put(
    'faq.xlsx',
    workbook({
      Cover: [['Our questions']],
      FAQ: [
        ['QUESTION', 'Answer', null, 'Year'],
        ['how tall is a giraffe', 'five metres', 'x', 2004],
        [null, null],
        ['when do owls sleep', 'by day', null, 2005],
      ],
      Old: [
        ['question', 'answer'],
        ['who', 'nobody'],
      ],
    }),
  );
  const { documents, queries, problems } = await read(file);
  expect(queries).toEqual(['how tall is a giraffe', 'when do owls sleep']);
  expect(documents.map(({ text }) => text)).toEqual(['five metres', 'by day']);
  expect(problems[0]).toMatchObject({ severity: 'warning', message: expect.stringContaining('Old') });
  expect((await read(file, { sheet: 'Old' })).queries).toEqual(['who']);
  await expect(read(file, { sheet: 'New' })).rejects.toMatchObject({ hint: 'its sheets: Cover, FAQ, Old' });
});

test('a sheet of documents, with numbers as ids; one whose columns nobody knows names them', async () => {
  const file = await put(
    'shop.xlsx',
    workbook({
      Goods: [
        ['Id', 'Title', 'Text'],
        [7, 'Lamp', 'a lamp for reading'],
      ],
    }),
  );
  expect((await read(file)).documents).toMatchObject([
    { id: '7', title: 'Lamp', text: 'a lamp for reading' },
  ]);
  const odd = await put(
    'odd.xlsx',
    workbook({
      S: [
        ['Frage', 'Antwort'],
        ['wer', 'niemand'],
      ],
    }),
  );
  const pair = { query: 'Frage', document: 'Antwort' };
  expect((await read(odd, { pair })).queries).toEqual(['wer']);
  await expect(read(odd, { pair: { query: 'Frag', document: 'Antwort' } })).rejects.toThrow(
    'columns found: Frage, Antwort',
  );
  const broken = await put('broken.xlsx', 'not a workbook');
  await expect(read(broken)).rejects.toMatchObject({ hint: expect.stringContaining('as CSV') });
});

test('a PDF is read page by page, without running heads, and with its title', async () => {
  const pages = ['zebra', 'giraffe', 'owl', 'newt'].map((animal, i) => [
    'The Animal Book',
    `The ${animal} is an ani-`,
    `mal that the ${animal} is.`,
    `page ${i + 1}`,
  ]);
  const file = await put('book.pdf', pdf(pages, 'Animals'));
  const { documents } = await read(file);
  expect(documents).toHaveLength(4);
  expect(documents[1]).toEqual({
    id: 'book.pdf#2',
    title: 'Animals',
    text: 'The giraffe is an animal that the giraffe is.',
    metadata: { path: 'book.pdf', heading: '', position: 2, anchor: 'page=2' },
  });
});

test('a scanned PDF and one that is none are told of by name; a folder has its other texts', async () => {
  await put('docs/scan.pdf', pdf([[], []]));
  await put('docs/broken.pdf', 'not a PDF');
  await put('docs/a.md', '# A\n\nAbout geckos and their feet.\n');
  const { documents, problems } = await read(join(folder, 'docs'));
  expect(documents.map(({ id }) => id)).toEqual(['a.md#1']);
  expect(problems).toMatchObject([
    { code: 'unreadable', file: join(folder, 'docs/broken.pdf') },
    { code: 'no-text-layer', message: expect.stringContaining('2 pages without a text layer') },
  ]);
  const alone = await read(join(folder, 'docs/scan.pdf'));
  expect(alone.problems.at(-1)).toMatchObject({
    code: 'no-text',
    message: expect.stringContaining('without a text layer'),
    hint: expect.stringContaining('ocrmypdf'),
  });
});

test('a folder of programs alone is read as code with lines; beside texts only where that is asked for', async () => {
  const functions = Array.from({ length: 40 }, (_, n) => `function f${n}() {\n  return ${n};\n}\n`).join(
    '\n',
  );
  await put('code/app.ts', functions);
  const { documents } = await read(join(folder, 'code'), { folder: { maxWords: 50 } });
  expect(documents.length).toBeGreaterThan(2);
  expect(documents[0].title).toBe('app.ts');
  const lines = functions.split('\n');
  for (const { text, metadata } of documents) {
    expect(text).toMatch(/^```ts\n.*\n```$/s);
    expect(text.split('\n')[1]).toBe(lines[Number(metadata?.line) - 1]);
  }
  await put('code/readme.md', 'What it is for.');
  expect((await read(join(folder, 'code'))).documents.map(({ id }) => id)).toEqual(['readme.md#1']);
  expect((await read(join(folder, 'code'), { folder: { code: true } })).documents.length).toBeGreaterThan(2);
});

test('a saved site: pages by their content, without menus, each once, with their addresses', async () => {
  const page = (n: number, canonical = ''): string =>
    `<!doctype html><html><head><title>Topic ${n} | The Site</title>${canonical}</head><body><div>Home and products</div><h1>Topic ${n}</h1><p>Words about subject ${n}.</p><div>All rights reserved</div></body></html>`;
  for (let n = 0; n < 6; n++)
    await put(`saved/www.example.org/guide/${n}${n % 2 ? '.html' : '?v=1'}`, page(n));
  await put('saved/www.example.org/print/1.html', page(1));
  await put(
    'saved/www.example.org/index.html',
    page(9, '<link rel="canonical" href="https://example.org/">'),
  );
  await put('saved/www.example.org/style.css', 'a {}');
  await put('saved/www.example.org/robots', 'User-agent: *');
  const { documents } = await read(join(folder, 'saved'), { folder: { site: true } });
  expect(documents.map(({ text }) => text).sort()).toEqual(
    [0, 1, 2, 3, 4, 5, 9].map((n) => `Words about subject ${n}.`),
  );
  const urls = new Map(documents.map(({ text, title, metadata }) => [text, [title, metadata?.url]]));
  expect(urls.get('Words about subject 3.')).toEqual(['Topic 3', 'https://www.example.org/guide/3.html']);
  expect(urls.get('Words about subject 9.')).toEqual(['Topic 9', 'https://example.org/']);
});

test('a saved site keeps its code, and what a page says that was saved under many addresses', async () => {
  const page = (n: number): string =>
    `<!doctype html><html><body><nav>Home</nav><p>All about ${n}.</p><pre>run(() => {\n  call(${n});\n});</pre><p>Imprint</p></body></html>`;
  for (let n = 0; n < 4; n++) await put(`manual/www.example.org/${n}.html`, page(n));
  for (const tag of ['a', 'b', 'c']) await put(`manual/www.example.org/0.html?utm=${tag}`, page(0));
  const { documents } = await read(join(folder, 'manual'), { folder: { site: true } });
  expect(documents.map(({ text }) => text).sort()).toEqual(
    [0, 1, 2, 3].map((n) => `All about ${n}.\n\n\`\`\`\nrun(() => {\n  call(${n});\n});\n\`\`\``),
  );
});

test('a single text is a collection', async () => {
  const file = await put('notes.mdx', "import X from 'x'\n\n# Notes\n\nBuy <X /> milk and bread.\n");
  const { documents } = await read(file);
  expect(documents).toMatchObject([{ id: 'notes.mdx#1', title: 'Notes' }]);
  expect(documents[0].text).not.toContain('import');
  const plain = await put('plain.txt', 'A line of words that is no table.\n');
  expect((await read(plain)).documents).toHaveLength(1);
});

test('a workbook that would take all memory is refused: a cell far away, very much in a small file', async () => {
  const sheet = {
    FAQ: [
      ['question', 'answer'],
      ['why', 'because'],
    ],
  };
  const parts = unzipSync(workbook(sheet));
  const path = 'xl/worksheets/s0.xml';
  const text = strFromU8(parts[path]);
  const far = text.replace(
    '</sheetData>',
    '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
  );
  const farFile = await put('far.xlsx', zipSync({ ...parts, [path]: strToU8(far) }));
  await expect(read(farFile)).rejects.toThrow(
    `${farFile}: ${path}: too large for a workbook: 16384 columns and 1048576 rows up to its last cell`,
  );
  const much = text.replace('because', ' '.repeat(2 ** 28));
  const bomb = await put('bomb.xlsx', zipSync({ ...parts, [path]: strToU8(much) }, { level: 1 }));
  await expect(read(bomb)).rejects.toThrow(`${bomb}: ${path}: too large for a workbook: more than 256 MiB`);
});
