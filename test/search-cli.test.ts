import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSearchFixture, type SearchFixture } from '../src/search/search.fixture.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let fixture: SearchFixture;
let text: string;
beforeAll(async () => {
  fixture = await makeSearchFixture();
  text = fixture.documents[20].text;
});
afterAll(() => fixture.remove());

const search = (...args: string[]): Promise<CliResult> =>
  runBuiltCli(['search', ...args, '--threads', '1'], { cwd: fixture.folder });

test('a run needs nothing but a query', async () => {
  const { code, stdout, stderr } = await search('run', text, '--k', '3');
  expect(code).toBe(0);
  expect(stdout.split('\n')[0]).toMatch(/^ {2}1 {2}\d+\.\d{4} {2}d1-6$/);
  expect(stdout).toContain(`    ${text}`);
  expect(stdout).not.toContain('\x1b');
  expect(stderr).toContain('once; kept in');
});

test('JSON has parts, metadata and snippets', async () => {
  const { stdout } = await search(
    'run',
    text,
    '--mode',
    'hybrid',
    '--k',
    '2',
    '--explain',
    '--filter',
    'noun=1',
    '--json',
  );
  const { mode, version, hits } = JSON.parse(stdout);
  expect(mode).toBe('hybrid');
  expect(version).toMatch(/^[0-9a-f]{12}$/);
  expect(hits).toHaveLength(2);
  expect(hits[0]).toMatchObject({ metadata: { noun: 1 }, snippet: { highlights: expect.any(Array) } });
  expect(hits[0].parts.map(({ name }: { name: string }) => name)).toEqual(['dense', 'bm25']);
});

test('columns side by side fit the width', async () => {
  const { stdout } = await search('run', text, '--compare', 'bm25,dense,hybrid', '--k', '3');
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0].trim().split(/\s+/)).toEqual(['bm25', 'dense', 'hybrid']);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('side by side, too, scores are explained', async () => {
  const flags = ['--compare', 'bm25,dense,hybrid', '--k', '1', '--explain'];
  const { stdout } = await search('run', text, ...flags);
  const lines = stdout.trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  // The parts of each column, whose lines are no longer than the column.
  const explained = lines.slice(2).join('\n');
  expect(explained).toMatch(
    /bm25 \d+\.\d{4} \(rank 1\).*dense \d+\.\d{4} \(rank 1\).*dense \d+\.\d{4} \(rank 1\)/,
  );
  for (const word of text.split(' ')) expect(explained).toContain(word.slice(0, 5));
});

test.each(['bm25', 'dense', 'hybrid', 'cascade'])(
  'all queries of a split in mode %s become a run',
  async (mode) => {
    const out = `${mode}.trec`;
    const flags = ['--queries', 'data', '--split', 'dev', '--k', '5', '--run', out, '--rerank-depth', '5'];
    const { code, stderr } = await search('run', '--mode', mode, '--reranker', fixture.reranker, ...flags);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = (await readFile(join(fixture.folder, out), 'utf8')).trim().split('\n');
    expect(new Set(lines.map((line) => line.split(/\s/)[0])).size).toBe(fixture.queries.length);
    expect(lines[0].split(/\s/).at(-1)).toBe(mode);
  },
);

test('tuning keeps weights for later', async () => {
  const { stdout } = await search('run', '--tune', 'dev', '--measure', 'RR@10', '--json', '--cache', 'tuned');
  expect(JSON.parse(stdout)).toMatchObject({
    split: 'dev',
    measure: 'RR@10',
    weights: { dense: expect.any(Number) },
  });
});

test('without a query, every line of a pipe is one', async () => {
  const { code, stdout } = await runBuiltCli(['search', 'run', '--k', '1', '--threads', '1', '--json'], {
    cwd: fixture.folder,
    input: `:help\n${text}\n:quit\n`,
  });
  expect(code).toBe(0);
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map((answer) => answer.text)).toEqual([':help', text, ':quit']);
  expect(answers[1].hits[0].id).toBe('d1-6');
});

test('queries of a pipe that fail make the exit code 1', async () => {
  await runBuiltCli(['bm25', 'index', 'data', 'words'], { cwd: fixture.folder });
  const { code, stdout, stderr } = await runBuiltCli(['search', 'words', '--filter', 'noun=1'], {
    cwd: fixture.folder,
    input: 'one\ntwo\n',
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('nearmiss: "two": filter: there is no collection');
});

test('a field that no document has is an error that says which was meant', async () => {
  const { code, stderr } = await search(
    'run',
    text,
    '--filter',
    'nuon!=1',
    '--compare',
    'bm25,dense',
    '--k',
    '1',
  );
  expect(code).toBe(1);
  expect(
    stderr.match(/no document has the field "nuon" in its metadata\n {2}→ did you mean noun\?/g),
  ).toHaveLength(1);
  const grouped = await search('run', text, '--group-by', 'nuon', '--k', '1');
  expect(grouped.code).toBe(1);
  expect(grouped.stderr).toContain(
    'groups: no document has the field "nuon" in its metadata\n  → did you mean noun?',
  );
  const fine = await search('run', text, '--filter', '{"$or": [{"noun": 99}, {"tags": "all"}]}', '--k', '1');
  expect(fine).toMatchObject({ code: 0, stderr: '' });
});

test.each<[string, string[], number, string]>([
  ['nowhere', ['nowhere', 'x'], 1, 'no such run, index or collection'],
  ['an unknown mode', ['run', 'x', '--compare', 'bm25,dens'], 2, 'did you mean "dense"?'],
  [
    'a slip in --mode',
    ['run', 'x', '--mode', 'bm52'],
    2,
    '--mode: expected a mode among bm25, dense, hybrid, cascade (did you mean "bm25"?)',
  ],
  ['a slip in --rerank-first', ['run', 'x', '--rerank-first', 'hybird'], 2, 'did you mean "hybrid"?'],
  ['no reranker', ['run', 'x', '--mode', 'cascade'], 1, 'give --reranker'],
  ['queries without a run', ['run', '--queries', 'data'], 2, '--queries needs --run'],
  ['a query and queries', ['run', 'x', '--queries', 'data', '--run', 'r'], 2, 'got both'],
  ['a wrong filter', ['run', 'x', '--filter', 'noun'], 2, 'expected a condition such as'],
  ['a filter that is no JSON', ['run', 'x', '--filter', '{bad'], 2, 'not valid JSON'],
  ['a filter without a value', ['run', 'x', '--filter', 'noun>'], 2, 'for example noun>2000'],
  ['an empty query', ['run', ' '], 2, 'Expected some words'],
  ['an unknown operator', ['run', 'x', '--filter', '{"noun": {"$gtee": 1}}'], 2, 'did you mean "$gte"?'],
  ['one weight', ['run', 'x', '--weights', '1'], 2, 'expected two'],
  ['nothing that reranks', ['run', 'x', '--rerank-first', 'bm25'], 2, 'of no use without --reranker'],
])('%s: a clear error', async (_, args, expected, message) => {
  const { code, stdout, stderr } = await search(...args);
  expect(code).toBe(expected);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
});

test('a module adds a way to search', async () => {
  const library = pathToFileURL(resolve(import.meta.dirname, '../dist/search/index.js')).href;
  await writeFile(
    join(fixture.folder, 'backwards.mjs'),
    `import { searchModes } from ${JSON.stringify(library)};
    const retriever = (corpus) => ({
      mode: 'backwards',
      search: async (...asked) => (await corpus.retriever('bm25').search(...asked)).map((hits) => hits.reverse()),
      close: async () => {},
    });
    const open = async () => ({ retriever, live: () => ({ retriever }) });
    export default () => searchModes.register({
      name: 'backwards', needs: { what: 'words', flags: ['--data'] }, components: ['bm25'], open,
    });`,
  );
  const found = async (...args: string[]): Promise<string[]> => {
    const { stdout, stderr, code } = await search('data', text, '--json', ...args);
    expect({ stderr, code }).toMatchObject({ code: 0 });
    return JSON.parse(stdout).hits.map(({ id }: { id: string }) => id);
  };
  const forwards = await found('--mode', 'bm25');
  const module = ['--module', 'backwards.mjs'];
  expect(forwards.length).toBeGreaterThan(1);
  expect(await found('--mode', 'backwards', ...module)).toEqual([...forwards].reverse());
  const { code, stderr } = await search('data', text, '--mode', 'bakwards', ...module);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('"backwards"?') });
});
