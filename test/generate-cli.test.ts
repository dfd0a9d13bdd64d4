import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';

const TINY = [
  // Random weights have to learn.
  'stages.generate.freeze=[]',
  'model={init: scratch, layers: 1, hiddenSize: 48, heads: 2, vocabularySize: 300, decoder: {layers: 1}, maxLength: {query: 24, document: 24}}',
  'optimizer={learningRate: 4e-3, warmupSteps: 10}',
  'checkpoint.every=150',
  'stages.generate={name: generate, steps: 150, task: generate}',
];

let folder: string;
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-generate-cli-'));
  await writeSynonyms(join(folder, 'data'), { words: 8, seed: 4 });
  const set = TINY.flatMap((value) => ['--set', value]);
  const threads = ['--trainer-threads', '1', '--inferencer-threads', '1'];
  const train = ['train', '--data', 'data', '--recipe', 'query-generator', '--out', 'run'];
  const trained = await run(...train, ...threads, ...set);
  expect(trained.code, trained.stderr).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bm25(data: string): Promise<number> {
  const index = `index-${data}`;
  expect((await run('bm25', 'index', data, index)).code).toBe(0);
  const search = ['bm25', 'search', index, '--queries', data, '--split', 'dev', '--k', '10'];
  expect((await run(...search, '--run', `${data}.trec`)).code).toBe(0);
  const { stdout } = await run(
    'eval',
    `${data}.trec`,
    data,
    '--split',
    'dev',
    '--complete',
    '-m',
    'RR@10',
    '--json',
  );
  return JSON.parse(stdout).mean['RR@10'];
}

test('a generator learns what people call things, and BM25 finds documents by it', async () => {
  const generate = ['generate', 'data', '--generator', 'run', '--out', 'queries.jsonl', '--threads', '1'];
  const written = await run(
    ...generate,
    '--count',
    '2',
    '--top-k',
    '3',
    '--collection',
    'generated',
    '--json',
  );
  expect(written.code, written.stderr).toBe(0);
  expect(JSON.parse(written.stdout)).toMatchObject({ passages: 64, known: 0, finished: true });
  const expanded = await run('expand', 'data', '--queries', 'queries.jsonl', '--out', 'expanded');
  expect(expanded.code, expanded.stderr).toBe(0);
  expect(expanded.stdout).toMatch(/queries behind 64 documents/);
  // Words of queries are not in the documents: without the generator next to nothing is found.
  expect(await bm25('expanded')).toBeGreaterThan((await bm25('data')) + 0.3);
  const corpus = await readFile(join(folder, 'generated', 'qrels', 'train.tsv'), 'utf8');
  expect(corpus.split('\n').length).toBeGreaterThan(64);
});

test('what cannot be done is told', async () => {
  const generate = ['generate', 'data', '--out', 'other.jsonl', '--generator'];
  const failed = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await run(...args);
    expect(stderr).not.toContain('    at ');
    return `${code} ${stderr}`;
  };
  expect(await failed(...generate, 'minilm')).toMatch(/^1 .*expected a model that writes texts/s);
  expect(await failed(...generate, 'http://127.0.0.1:9/v1')).toMatch(/^1 .*which of its models/s);
  expect(
    await failed(...generate, 'http://127.0.0.1:9/v1', '--generator-model', 'm', '--retries', '0'),
  ).toMatch(/^1 .*not reachable/s);
  expect(await failed(...generate, 'run', '--shots', '2')).toMatch(/^2 .*--shots is for a service/s);
  expect(await failed(...generate, 'run', '--max-tokens', '1000')).toMatch(
    /^1 .*expected at most \d+, as many/s,
  );
  await writeFile(join(folder, 'broken.jsonl'), '{"id": "d0-0"}\n');
  expect(await failed('expand', 'data', '--queries', 'broken.jsonl', '--out', 'none')).toMatch(
    /^1 .*broken\.jsonl:1: field "queries"/s,
  );
});
