import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataset } from '../src/data/index.js';
import { queryId } from '../src/data/judged/query-id.js';
import { openRunData, openRunSplit } from '../src/run/collection/open-run-data.js';
import { readRunDescription } from '../src/run/run-description.js';
import { RunDirectory } from '../src/run/run-directory.js';
import { JudgmentStore } from '../src/serve/judgments/judgment-store.js';
import { judgmentsPlace } from '../src/serve/judgments/judgments-place.js';
import { type ServeProcess, startServe } from './web/serve-process.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const HERBS = [
  'basil',
  'dill',
  'fennel',
  'mint',
  'sage',
  'thyme',
  'chervil',
  'tarragon',
  'parsley',
  'rosemary',
];
const PARTS = ['leaf', 'stem', 'seed'];
const KINDS = HERBS.flatMap((herb) => PARTS.map((part) => `${herb} ${part}`));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-judged-'));
  for (const [i, kind] of KINDS.entries()) {
    const path = join(folder, 'herbs', `${kind.replace(' ', '-')}.md`);
    await mkdir(join(folder, 'herbs'), { recursive: true });
    await writeFile(path, `# ${kind}\n\nThe ${kind} is cut on day ${i} and dried.\n`);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const herbs = () => join(folder, 'herbs');
const documentOf = (kind: string) => `${kind.replace(' ', '-')}.md#1`;
const questionOf = (kind: string) => `when is the ${kind} cut`;

async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}

async function nearmiss(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)(process.execPath, [CLI, ...args]);
}

async function judge({ url }: ServeProcess, query: string, document: string, grade: number): Promise<number> {
  const answer = await fetch(`${url}/v1/judgments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ judgments: [{ query, document, grade }] }),
  });
  return answer.status;
}

test('what two people judge at once is a split of the collection at once, killed server or not', async () => {
  const server = await startServe(herbs(), ['--mode', 'bm25']);
  const right = KINDS.map((kind) => judge(server, questionOf(kind), documentOf(kind), 1));
  const wrong = KINDS.map((kind, i) =>
    judge(server, questionOf(kind), documentOf(KINDS[(i + 1) % KINDS.length]), 0),
  );
  expect(new Set(await Promise.all([...right, ...wrong]))).toEqual(new Set([200]));
  const whileServed = await openDataset(herbs());
  expect(await whileServed.splits()).toEqual(['judged']);
  await server.kill();
  const dataset = await openDataset(herbs());
  const qrels = await dataset.qrels('judged');
  expect(qrels.size).toBe(30);
  expect(qrels.get(queryId(questionOf('mint leaf')))).toEqual(
    new Map([
      [documentOf('mint leaf'), 1],
      [documentOf('mint stem'), 0],
    ]),
  );
  expect((await collect(dataset.queries('judged'))).map(({ text }) => text).sort()).toEqual(
    KINDS.map(questionOf).sort(),
  );
});

test('they can be measured with, tuned with and copied', async () => {
  const { stdout } = await nearmiss('eval', herbs(), '--split', 'judged', '--json');
  const { queries, rows } = JSON.parse(stdout);
  expect(queries).toBe(30);
  expect(rows.map(({ system }: { system: string }) => system)).toEqual(
    expect.arrayContaining(['start', 'bm25', 'hybrid']),
  );
  await nearmiss('search', herbs(), '--tune', 'judged');
  await nearmiss('data', 'import', herbs(), join(folder, 'copy'));
  const copy = await openDataset(join(folder, 'copy'));
  expect((await copy.qrels('judged')).size).toBe(30);
  expect(await collect(copy.queries('judged'))).toHaveLength(30);
});

test('a run learns from them as they were when it began, while people go on', async () => {
  const out = join(folder, 'run');
  const begin = ['train', '--data', herbs(), '--recipe', 'tiny', '--out', out, '--quiet'];
  const steps = ['stages.warmup.steps=2', 'stages.ance.steps=4', 'checkpoint.every=2'];
  const small = ['--trainer-threads', '1', '--inferencer-threads', '1'];
  await nearmiss(...begin, ...steps.flatMap((step) => ['--set', step]), '--create-only');
  const run = new RunDirectory(out);
  const description = await readRunDescription(run);
  expect(description).toMatchObject({ split: 'judged', heldOut: { from: 'judged' } });
  // Somebody else, at another server of the same collection, goes on and takes one back.
  const other = await JudgmentStore.open(await judgmentsPlace(join(folder, 'elsewhere'), herbs()));
  expect(other.counts).toEqual({ total: 60, queries: 30 });
  await other.judge([
    { query: 'which herb is cut first', document: documentOf('basil leaf'), grade: 1 },
    { query: questionOf('dill seed'), document: documentOf('dill seed'), grade: null },
  ]);
  await other.close();
  const { stdout, stderr } = await nearmiss('train', '--out', out, '--quiet', '--json', ...small);
  expect(stderr).toContain('60 judgments of 30 queries, as people marked them');
  expect(JSON.parse(stdout)).toMatchObject({ finished: true });
  const frozen = await openRunData(run, description);
  const [learned, held] = [await frozen.qrels('judged'), await frozen.qrels('dev')];
  expect(learned.size + held.size).toBe(30);
  expect(held.size).toBe(description.heldOut?.queries.length);

  const now = await (await openRunSplit(run, description, 'judged')).qrels('judged');
  expect(now.has(queryId('which herb is cut first'))).toBe(true);
  expect([...learned.keys()].filter((id) => now.has(id))).toEqual([]);
  expect((await (await openDataset(herbs())).qrels('judged')).size).toBe(31);
});

test('queries that other splits measure with, and documents of nowhere, are not learned from', async () => {
  const data = join(folder, 'measured');
  await mkdir(join(data, 'qrels'), { recursive: true });
  const documents = KINDS.map((kind) => JSON.stringify({ _id: documentOf(kind), text: `${kind}, dried` }));
  await writeFile(join(data, 'corpus.jsonl'), `${documents.join('\n')}\n`);
  await writeFile(
    join(data, 'queries.jsonl'),
    `${JSON.stringify({ _id: 't1', text: questionOf(KINDS[0]) })}\n`,
  );
  await writeFile(
    join(data, 'qrels', 'test.tsv'),
    `query-id\tcorpus-id\tscore\nt1\t${documentOf(KINDS[0])}\t1\n`,
  );
  const store = await JudgmentStore.open(await judgmentsPlace(join(data, '.nearmiss', 'live'), data));
  await store.judge(
    KINDS.slice(0, 10).map((kind) => ({ query: questionOf(kind), document: documentOf(kind), grade: 1 })),
  );
  await store.judge([{ query: questionOf(KINDS[5]), document: 'added-later', grade: 1 }]);
  await store.close();
  const out = join(folder, 'careful');
  await nearmiss('train', '--data', data, '--recipe', 'tiny', '--out', out, '--create-only');
  expect(JSON.parse(await readFile(join(out, 'judged.json'), 'utf8'))).toMatchObject({
    measuredElsewhere: 1,
    unknownDocuments: 1,
  });
  const run = new RunDirectory(out);
  const dataset = await openRunData(run, await readRunDescription(run));
  const texts = (await collect(dataset.queries('judged'))).map(({ text }) => text);
  expect(texts).not.toContain(questionOf(KINDS[0]));
});
