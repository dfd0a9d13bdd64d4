import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
let folder: string;

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the built program as a person would. */
function nearmiss(...args: string[]): Promise<Outcome> {
  return new Promise((done) => {
    execFile(process.execPath, [MAIN, ...args], { cwd: folder }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-cli-bm25-'));
  await mkdir(join(folder, 'data/qrels'), { recursive: true });
  const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await writeFile(
    join(folder, 'data/corpus.jsonl'),
    lines([
      { _id: 'cats', title: 'Cats', text: 'A cat purrs.' },
      { _id: 'dogs', title: 'Dogs', text: 'Dogs bark, cats do not.' },
      { _id: 'cars', title: '', text: 'Cars need fuel.' },
    ]),
  );
  await writeFile(
    join(folder, 'data/queries.jsonl'),
    lines([
      { _id: 'q1', text: 'purring cats' },
      { _id: 'q2', text: 'fuel' },
    ]),
  );
  await writeFile(
    join(folder, 'data/qrels/dev.tsv'),
    'query-id\tcorpus-id\tscore\nq1\tcats\t1\nq2\tcars\t1\n',
  );
  const made = await nearmiss('bm25', 'index', 'data', 'index', '--vectors');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('index: 3 documents, ') });
  expect(made.stderr).toMatch(/index: 3 documents in .*documents\/s/);
});

afterAll(() => rm(folder, { recursive: true }));

test('one query: a table, with texts where the collection is named, or JSON', async () => {
  const table = await nearmiss('bm25', 'search', 'index', 'purring cats', '--data', 'data');
  expect(table.stdout).toMatch(
    /^rank +score +id +document\n +1 +\d\.\d{4} +cats +Cats A cat purrs\.\n +2 .*dogs/,
  );
  const json = JSON.parse(
    (await nearmiss('bm25', 'search', 'index', 'purring cats', '--json', '--k', '1')).stdout,
  );
  expect(json).toEqual({ text: 'purring cats', hits: [{ id: 'cats', score: expect.any(Number) }] });
  expect((await nearmiss('bm25', 'search', 'index', 'zebra')).stdout).toContain('nothing found');
});

test('all queries of a split become a TREC run, in a file or on standard output', async () => {
  const args = [
    'bm25',
    'search',
    'index',
    '--queries',
    'data',
    '--split',
    'dev',
    '--threads',
    '2',
    '--tag',
    'mine',
  ];
  const printed = await nearmiss(...args);
  expect(printed.stdout.split('\n')[0]).toMatch(/^q1 Q0 cats 1 \d\.\d+ mine$/);
  expect(await nearmiss(...args, '--run', 'out.trec')).toMatchObject({ code: 0, stdout: '' });
  expect(await readFile(join(folder, 'out.trec'), 'utf8')).toBe(printed.stdout);
  expect((await nearmiss(...args, '--rm3')).stdout).toContain('q2 Q0 cars 1 ');
});

test('tuning prints the best trials, or all of them as JSON', async () => {
  const args = [
    'bm25',
    'tune',
    'index',
    '--data',
    'data',
    '--k1',
    '0.9,1.2',
    '--b',
    '0.4',
    '-m',
    'RR@10',
    '--threads',
    '1',
  ];
  expect((await nearmiss(...args)).stdout).toMatch(/^ RR@10 +k1 +b +RM3\n1\.0000 +0\.9 +0\.4/);
  const { trials } = JSON.parse((await nearmiss(...args, '--json')).stdout);
  expect(trials).toEqual([
    { k1: 0.9, b: 0.4, value: 1 },
    { k1: 1.2, b: 0.4, value: 1 },
  ]);
});

test('wrong usage ends with 2, failure with 1, and both say what to do', async () => {
  const usage: [string[], string][] = [
    [['search', 'index'], 'expected either a query or --queries'],
    [['search', 'index', 'cat', '--fb-docs', '3'], '--fb-docs is of no use without --rm3'],
    [['search', 'index', 'cat', '--model', 'tfidf', '--b', '1'], 'of no use with --model tfidf'],
    [['search', 'index', 'cat', '--b', '2'], 'Expected a number from 0 to 1'],
    [['index', 'data', 'x', '--language', 'klingon'], 'Allowed choices are en, unicode, cjk'],
    [['tune', 'index', '--data', 'data', '-m', 'nonsense@10'], 'nonsense'],
  ];
  for (const [args, message] of usage) {
    expect(await nearmiss('bm25', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
  }
  const failures: [string[], string][] = [
    [['index', 'data', 'index'], 'index: already exists\n  → choose another folder, or pass --overwrite'],
    [
      ['index', 'data', 'data', '--overwrite'],
      'data: expected a BM25 index and nothing else, got corpus.jsonl\n  → corpus.jsonl would be lost',
    ],
    [['index', 'nowhere', 'x'], 'nowhere: no such file or folder'],
    [['search', 'data', 'cat'], 'meta.json: no such file'],
    [['search', 'index', '--queries', 'data', '--split', 'test'], 'dev'],
  ];
  for (const [args, message] of failures) {
    const outcome = await nearmiss('bm25', ...args);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(outcome.stderr).not.toMatch(/^ +at /m);
  }
});

test('a broken collection leaves no index behind', async () => {
  await writeFile(join(folder, 'broken.jsonl'), '{"_id": "1", "text": "fine"}\n{"_id": "2", "text": 7}\n');
  const outcome = await nearmiss('bm25', 'index', 'broken.jsonl', 'broken-index');
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('broken.jsonl:2: field "text"') });
  expect((await readdir(folder)).filter((name) => name.includes('broken-index'))).toEqual([]);
});
