import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatProblem, type OnProblem, type Problem, throwProblem } from '../problem.js';
import { tripletExamples } from './sentence-transformers.js';
import { type TableOptions, tableSource } from './table.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-table-'));
  file = join(folder, 'table');
});
afterAll(() => rm(folder, { recursive: true }));

const CSV: TableOptions = { delimiter: ',', quotes: true };
const TSV: TableOptions = { delimiter: '\t', quotes: false };

async function read(content: string | Buffer, options: TableOptions, onProblem: OnProblem = throwProblem) {
  await writeFile(file, content);
  const rows: { value: Record<string, string>; line: number }[] = [];
  for await (const { value, line } of tableSource(file, options, (row) => row).read(onProblem)) {
    rows.push({ value, line });
  }
  return rows;
}

test('quoted cells hold anything, and each row knows the line it begins on', async () => {
  const cell = fc
    .array(fc.constantFrom('a', '"', ',', '\n', '中', ' '), { maxLength: 6 })
    .map((parts) => parts.join(''));
  const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 15 });
  const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(table, async (cells) => {
      let line = 2;
      const expected = cells.map(([a, b]) => {
        const row = { value: { a, b }, line };
        line += 1 + a.split('\n').length - 1 + (b.split('\n').length - 1);
        return row;
      });
      const content = `a,b\n${cells.map(([a, b]) => `${quote(a)},${quote(b)}\n`).join('')}`;
      expect(await read(content, CSV)).toEqual(expected);
    }),
    { numRuns: 100, seed: 1 },
  );
});

test('bare quotation marks are text where nothing is quoted', async () => {
  expect(await read('id\ttext\n1\tsay "a\n2\t"b"', TSV)).toEqual([
    { value: { id: '1', text: 'say "a' }, line: 2 },
    { value: { id: '2', text: '"b"' }, line: 3 },
  ]);
});

test('rows of another length and broken quoting are told with their line; reading goes on where it can', async () => {
  const problems: string[] = [];
  const collect: OnProblem = (problem) => problems.push(formatProblem(problem).replace(file, 'table'));
  const rows = await read('id,text\n1,one\n2\n3,three\n"4","fo"ur"\n5,five\n"6","six\n', CSV, collect);
  expect(rows.map(({ value }) => value.id)).toEqual(['1', '3', '5']);
  expect(problems).toEqual([
    'table:3: expected 2 columns (id, text), got 1',
    expect.stringMatching(/^table:5: not valid CSV: /),
    'table:7: not valid CSV: a quoted cell is not closed',
  ]);
});

test('quotation marks inside a cell are taken as they are meant', async () => {
  const rows = await read('id,text\n1,a 5" disc\n3,the "Save" button\n4,"a, ""b"" 5"" c"\n', CSV);
  expect(rows.map(({ value }) => value.text)).toEqual(['a 5" disc', 'the "Save" button', 'a, "b" 5" c']);
});

test('a pair without a question or without an answer is left out with a warning that names its line', async () => {
  await writeFile(file, 'question,answer\nhow to sail,hoist the sail\n ,nobody asked\nno answer,\n');
  const problems: Problem[] = [];
  const asked: string[] = [];
  const pairs = tripletExamples(file, { table: CSV });
  for await (const { value } of pairs.read((problem) => problems.push(problem)))
    asked.push(value.query.text!);
  expect(asked).toEqual(['how to sail']);
  expect(problems).toMatchObject([
    { severity: 'warning', line: 3, field: 'question' },
    { severity: 'warning', line: 4, field: 'answer' },
  ]);
});

test('a pair that was judged as wrong is no pair: it is left out with a warning', async () => {
  await writeFile(
    file,
    'question,answer,Label\nhow to sail,hoist the sail,1\nhow to sail,buy a car,0\nhow to row,pull,false\nhow to dive,jump,2.5\n',
  );
  const problems: Problem[] = [];
  const answers: string[] = [];
  const pairs = tripletExamples(file, { table: CSV });
  for await (const { value } of pairs.read((problem) => problems.push(problem)))
    answers.push(value.positives[0].document.text!);
  expect(answers).toEqual(['hoist the sail', 'jump']);
  expect(problems).toMatchObject([
    { severity: 'warning', line: 3, field: 'Label' },
    { severity: 'warning', line: 4, field: 'Label' },
  ]);
  expect(pairs.columns!()).toBe('pairs: "question" asks, "answer" answers; other columns: Label');
});

test('a record with a line that is not UTF-8 is passed over, however many lines it has', async () => {
  const problems: string[] = [];
  const collect: OnProblem = (problem) => problems.push(formatProblem(problem).replace(file, 'table'));
  const latin = (text: string) => Buffer.from(text, 'latin1');
  const quoted = await read(latin('id,text\n1,one\n2,"a\ncafé\nb"\n3,three\n'), CSV, collect);
  expect(quoted.map(({ value }) => value.id)).toEqual(['1', '3']);
  const bare = await read(latin('id\ttext\n1\tcafé\n2\ttwo\n'), TSV, collect);
  expect(bare.map(({ value }) => value.id)).toEqual(['2']);
  expect(problems).toEqual(['table:4: not valid UTF-8', 'table:2: not valid UTF-8']);
});
