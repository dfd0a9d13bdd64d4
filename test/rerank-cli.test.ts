import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareWords, writeTinyData } from '../src/analyze/tiny-run.fixture.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

const TINY = [
  'model={kind: cross, init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 1000, dropout: 0, maxLength: {query: 16, document: 16}}',
  'optimizer={learningRate: 3e-3, warmupSteps: 5}',
  'evaluation={measures: [RR@10], depth: 20}',
  'stages.train={name: train, steps: 240, negatives: [{source: bm25, count: 3, depth: 20}]}',
  'checkpoint.every=120',
];

let folder: string;
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });

/** The fields of each line of a run file. */
const linesOf = async (name: string): Promise<string[][]> =>
  (await readFile(join(folder, name), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-rerank-cli-'));
  await writeTinyData(folder);
  await shareWords(folder);
  const set = TINY.flatMap((value) => ['--set', value]);
  const threads = ['--trainer-threads', '1', '--inferencer-threads', '1'];
  const trained = await run(
    'train',
    '--data',
    'data',
    '--recipe',
    'reranker',
    '--out',
    'run',
    ...threads,
    ...set,
  );
  expect(trained.code, trained.stderr).toBe(0);
  await run('bm25', 'index', 'data', 'bm25');
  const queries = ['--queries', 'data', '--split', 'dev', '--k', '20'];
  const found = await run('bm25', 'search', 'bm25', ...queries, '--run', 'bm25.trec');
  expect(found.code, found.stderr).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function measure(path: string): Promise<number> {
  const args = ['eval', path, 'data', '--split', 'dev', '--complete', '-m', 'RR@10', '--json'];
  const { stdout, stderr, code } = await run(...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).mean['RR@10'];
}

test('a trained cross-encoder reranks BM25 for the better', async () => {
  const { code, stdout, stderr } = await run(
    ...['rerank', 'bm25.trec', '--model', 'run', '--data', 'data', '--depth', '20', '--out', 'reranked.trec'],
  );
  expect(code, stderr).toBe(0);
  expect(stdout).toBe('');
  expect(await measure('reranked.trec')).toBeGreaterThan((await measure('bm25.trec')) + 0.2);
  const [line] = (await readFile(join(folder, 'reranked.trec'), 'utf8')).split('\n');
  expect(line).toMatch(/^q\S+ Q0 d\S+ 1 -?\d\S* \S+\+rerank$/);
});

test('a folder does as well as its run, and --depth leaves the rest out', async () => {
  const { code, stderr } = await run(
    ...['rerank', 'bm25.trec', '--model', 'run/best', '--data', 'data', '--depth', '3', '--tag', 'mine'],
    ...['--out', 'short.trec', '--quiet'],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = (await readFile(join(folder, 'short.trec'), 'utf8')).trim().split('\n');
  const queries = new Set(lines.map((text) => text.split(' ')[0]));
  expect(lines.length).toBe(3 * queries.size);
  expect(lines.every((text) => text.endsWith(' mine'))).toBe(true);
});

test.each([
  ['q0-0 Q0 nowhere 1 1 x\n', 'foreign.trec: document "nowhere" of query "q0-0" is not in data'],
  ['nobody Q0 d0-0 1 1 x\n', 'foreign.trec: query "nobody" is not in data'],
])('a run of another collection is refused: %s', async (line, message) => {
  await writeFile(join(folder, 'foreign.trec'), line);
  const { code, stderr } = await run(
    ...['rerank', 'foreign.trec', '--model', 'run', '--data', 'data', '--out', 'never.trec', '--quiet'],
  );
  expect(code).toBe(1);
  expect(stderr).toContain(message);
  expect(stderr).toContain('--data DIR');
  expect((await readdir(folder)).filter((name) => name.includes('never'))).toEqual([]);
});

test('what makes vectors reranks by them, and what reranks makes no vectors', async () => {
  const encoder = await run(
    ...['rerank', 'bm25.trec', '--model', 'minilm', '--data', 'data', '--out', 'encoder.trec', '--quiet'],
  );
  expect(encoder.code, encoder.stderr).toBe(0);
  const [before, after] = await Promise.all(['bm25.trec', 'encoder.trec'].map(linesOf));
  const pairs = (lines: string[][]): string[] => lines.map(([query, , document]) => `${query} ${document}`);
  expect(pairs(after).sort()).toEqual(pairs(before).sort());
  // Cosines, the best first: not what BM25 gave.
  for (const [, , , , score] of after) expect(Math.abs(Number(score))).toBeLessThanOrEqual(1.0001);
  after.slice(1).forEach(([query, , , , score], i) => {
    if (query === after[i][0]) expect(Number(score)).toBeLessThanOrEqual(Number(after[i][4]));
  });
  const dense = await run('search', 'run', 'gox', '--mode', 'dense');
  expect(dense.code).toBe(1);
  expect(dense.stderr).toContain('a cross-encoder scores pairs of texts and makes no vectors');
  expect(dense.stderr).not.toContain('    at ');
});
