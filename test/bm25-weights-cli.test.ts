import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWeigher } from '../src/cli/commands/bm25/open-weigher.js';
import { openBm25Index } from '../src/index/bm25/index.js';
import { Bm25Ranker } from '../src/index/bm25/ranker.js';
import { loadEncoderModel } from '../src/model/encoder/encoder-model.js';
import { saveEncoderModel } from '../src/model/encoder/save-encoder.js';
import { type CliResult, runBuiltCli } from './console-blocks.fixture.js';
import { writeCollection } from './web/collection.js';

const QUERY = 'tired people lack iron';

let folder: string;
const run = (...args: string[]): Promise<CliResult> => runBuiltCli(args, { cwd: folder });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-weights-cli-'));
  await writeCollection(join(folder, 'data'));
  await writeFile(join(folder, 'data', 'queries.jsonl'), `${JSON.stringify({ _id: 'q1', text: QUERY })}\n`);
  const head = { pooling: 'token-weights', relu: false, special: true };
  const model = await loadEncoderModel('minilm', { layers: 1, maxLength: 48, head });
  await saveEncoderModel(join(folder, 'model'), model, { onnx: false });
  const indexed = await run('bm25', 'index', 'data', 'plain', '--json');
  expect(indexed.code, indexed.stderr).toBe(0);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('bm25 index --weights: an index of the same documents with frequencies by the model', async () => {
  const indexed = await run(
    'bm25',
    'index',
    'data',
    'weighed',
    '--weights',
    'model',
    '--scale',
    '50',
    '--json',
  );
  expect(indexed.code, indexed.stderr).toBe(0);
  const [plain, weighed] = [
    await openBm25Index(join(folder, 'plain')),
    await openBm25Index(join(folder, 'weighed')),
  ];
  expect(JSON.parse(indexed.stdout)).toMatchObject({ index: 'weighed', documents: plain.meta.documents });
  expect(weighed.meta.weighed).toMatchObject({ scale: 50 });
  expect(plain.meta.weighed).toBeUndefined();
  expect(weighed.meta.postings).toBeGreaterThan(0);
  // Only 48 tokens are read, and what rounds to 0 is left out.
  expect(weighed.meta.postings).toBeLessThanOrEqual(plain.meta.postings);
  const found = await run('bm25', 'search', 'weighed', QUERY, '--json');
  expect(found.code, found.stderr).toBe(0);
  expect(JSON.parse(found.stdout).hits.length).toBeGreaterThan(0);
});

test('bm25 search --query-weights: one query and all of a collection, as the library weighs them', async () => {
  const index = await openBm25Index(join(folder, 'plain'));
  const { weigher } = await openWeigher(join(folder, 'model'), { language: index.meta.language });
  const [weights] = await weigher.weighQueries([QUERY]);
  await weigher.release();
  const { ids, scores } = new Bm25Ranker(index).searcher({}).searchTerms(weights, 5);
  const weighed = ['--query-weights', 'model', '--threads', '1'];
  const found = await run('bm25', 'search', 'plain', QUERY, ...weighed, '--k', '5', '--json');
  expect(found.code, found.stderr).toBe(0);
  const { hits } = JSON.parse(found.stdout) as { hits: { id: string; score: number }[] };
  expect(hits.map(({ id }) => id)).toEqual(Array.from(ids, (number) => index.documentId(number)));
  hits.forEach(({ score }, i) => {
    expect(score).toBeCloseTo(scores[i], 4);
  });
  const counted = JSON.parse((await run('bm25', 'search', 'plain', QUERY, '--k', '5', '--json')).stdout);
  expect(counted.hits[0].score).not.toBeCloseTo(hits[0].score, 4);
  const all = await run('bm25', 'search', 'plain', '--queries', 'data', ...weighed, '--run', 'all.trec');
  expect(all.code, all.stderr).toBe(0);
  const ranked = (await readFile(join(folder, 'all.trec'), 'utf8')).split('\n').slice(0, hits.length);
  expect(ranked.map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual(
    hits.map(({ id }, i) => `q1 Q0 ${id} ${i + 1}`),
  );
});

test.each([
  [2, 'both weigh the words', ['bm25', 'search', 'plain', 'x', '--query-weights', 'model', '--rm3']],
  [1, 'nowhere', ['bm25', 'search', 'plain', 'x', '--query-weights', 'nowhere']],
  [1, 'nowhere', ['bm25', 'index', 'data', 'bad', '--weights', 'nowhere']],
  [1, 'expected a model that weighs words', ['bm25', 'index', 'data', 'bad', '--weights', 'minilm']],
])('exit %i: %s', async (code, message, args) => {
  const refused = await run(...args);
  expect(refused.stderr).toContain(message);
  expect(refused.code).toBe(code);
});

test('a model of terms makes no vectors: encode and index say where to put it instead', async () => {
  for (const args of [
    ['encode', 'data', '--model', 'model', '--output', 'rows.npy'],
    ['index', 'data', 'rows', '--model', 'model'],
  ]) {
    const { code, stderr } = await run(...args, '--quiet');
    expect(code).toBe(1);
    expect(stderr).toContain('makes terms and their weights of a text, and no vectors');
    expect(stderr).toContain('nearmiss search DATA --model model');
  }
});
