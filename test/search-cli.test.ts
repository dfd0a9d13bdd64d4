import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSearchFixture, type SearchFixture } from '../src/search/search.fixture.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

let fixture: SearchFixture;
let text: string;
beforeAll(async () => {
  fixture = await makeSearchFixture();
  text = fixture.documents[20].text;
}, 120_000);
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

test('without a query, lines of a pipe are answered; a mistake does not end it', async () => {
  const main = resolve(import.meta.dirname, '../dist/cli/main.js');
  const child = spawn(process.execPath, [main, 'search', 'run', '--threads', '1'], { cwd: fixture.folder });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(
    `:k 1\n:mod dense\n:mode cascade\n${text}\n:explain\n:mode dense\n${text}\n:open 1\n:open 9\n:quit\nnever\n`,
  );
  expect(await new Promise((done) => child.on('close', done))).toBe(0);
  expect(stderr).toContain('did you mean :mode?');
  expect(stderr).toContain('no cross-encoder');
  expect(stderr).toContain('no hit 9, the last search has 1');
  expect(stdout.match(/^ {2}1 {2}/gm)).toHaveLength(2);
  expect(stdout).toMatch(/dense \d\.\d{4} \(rank 1\)/);
});

test.each<[string, string[], number, string]>([
  ['nowhere', ['nowhere', 'x'], 1, 'no such run, index or collection'],
  ['an unknown mode', ['run', 'x', '--compare', 'bm25,dens'], 2, 'did you mean "dense"?'],
  ['no reranker', ['run', 'x', '--mode', 'cascade'], 1, 'give one with --reranker'],
  ['queries without a run', ['run', '--queries', 'data'], 2, '--queries needs --run'],
  ['a query and queries', ['run', 'x', '--queries', 'data', '--run', 'r'], 2, 'got both'],
  ['a wrong filter', ['run', 'x', '--filter', 'noun'], 1, 'expected a condition such as'],
  ['an unknown operator', ['run', 'x', '--filter', '{"noun": {"$gtee": 1}}'], 1, 'did you mean "$gte"?'],
  ['one weight', ['run', 'x', '--weights', '1'], 2, 'expected two'],
  ['nothing that reranks', ['run', 'x', '--rerank-first', 'bm25'], 2, 'of no use without --reranker'],
])('%s: a clear error', async (_, args, expected, message) => {
  const { code, stdout, stderr } = await search(...args);
  expect(code).toBe(expected);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
});
