import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trainTinyRun } from '../src/analyze/tiny-run.fixture.js';
import { connectEngine } from '../src/index/engines/connect.js';
import { hasPostgres, startPostgres } from '../src/index/engines/pgvector/postgres-server.fixture.js';
import { QdrantServers, qdrantBinary } from '../src/index/engines/qdrant/qdrant-servers.fixture.js';
import { RunDirectory } from '../src/run/run-directory.js';
import { bestSoFar } from '../src/run/step-evaluation.js';
import { openSearcher } from '../src/search/index.js';
import { push } from '../src/search/remote/push.js';
import { makeSearchFixture, type SearchFixture } from '../src/search/search.fixture.js';
import { serveTarget } from '../src/serve/serve-target.js';
import { targetState } from '../src/serve/watch.js';
import { writeKeyWords } from '../src/train/key-words.fixture.js';
import { bothRoles, startRun, weightsOf } from '../src/train/run.fixture.js';
import { runBuiltCli } from './console-blocks.fixture.js';

interface RunningEngine {
  address(name: string): string;
  stop(): Promise<void>;
}

const SPARSE = [
  'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 400, dropout: 0, maxLength: {query: 32, document: 64}}',
  'optimizer={learningRate: 5e-3, warmupSteps: 5}',
  'evaluation={measures: [RR@10], best: RR@10, depth: 20}',
  'refresh.mode=lockstep',
  'stages.train.steps=20',
  'checkpoint.every=10',
];

const binary = qdrantBinary();
const ENGINES = [
  {
    type: 'qdrant',
    isHere: binary !== undefined,
    start: (): Promise<RunningEngine> => QdrantServers.start(binary!),
    quantization: 'int8',
  },
  {
    type: 'pgvector',
    isHere: hasPostgres(),
    start: (): Promise<RunningEngine> => startPostgres(),
    quantization: 'binary',
  },
] as const;

let fixture: SearchFixture;
const isNeeded = ENGINES.some(({ isHere }) => isHere);
beforeAll(async () => {
  if (isNeeded) fixture = await makeSearchFixture();
});
afterAll(() => fixture?.remove());

describe.each(ENGINES.filter(({ isHere }) => isHere))('a run in $type', ({ type, start, quantization }) => {
  let servers: RunningEngine;
  let address: string;
  const model = (): string => `${fixture.run}/best`;

  beforeAll(async () => {
    servers = await start();
    address = servers.address('docs');
  });
  afterAll(() => servers?.stop());

  test('what is pushed is found as it is found here, with filters, texts and scores', async () => {
    const pushed = await push(fixture.run, { to: address });
    expect(pushed).toMatchObject({ name: 'docs', documents: 196, rows: 196, removed: [] });
    const [here, there] = await Promise.all([
      openSearcher(fixture.run, { modes: ['dense'] }),
      openSearcher(`${address}?exact`, { model: model() }),
    ]);
    try {
      expect(there.modes).toEqual(['dense']);
      const filters = [
        undefined,
        { even: true },
        { noun: { $gte: 3, $lt: 9 }, tags: 'all' },
        { $or: [{ tags: { $in: ['n3', 'n4'] } }, { $not: { adjective: { $exists: true } } }] },
        { tags: { $gt: 'n3', $lt: 'n5' } },
      ];
      for (const filter of filters) {
        for (const { text } of fixture.queries.slice(0, 6)) {
          const [expected, got] = [
            await here.search(text, { k: 8, filter }),
            await there.search(text, { k: 8, filter }),
          ];
          expect(got.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          got.forEach((hit, i) => {
            expect(hit.score).toBeCloseTo(expected[i].score, 4);
            expect([hit.text, hit.metadata]).toEqual([expected[i].text, expected[i].metadata]);
          });
        }
      }
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
    // The same again costs nothing; another layout is another version, and the one before stays.
    expect((await push(fixture.run, { to: address })).version).toBe(pushed.version);
    const before = await targetState(address, { model: model() });
    const again = await push(fixture.run, { to: address, quantization });
    expect(again.version).not.toBe(pushed.version);
    expect(await targetState(address, { model: model() })).not.toBe(before);
    const connection = await connectEngine(address);
    expect(await connection.versions('docs')).toEqual([pushed.version, again.version].sort());
    const third = await push(fixture.run, { to: address, storage: 'f16' });
    expect(third.removed).toEqual([pushed.version]);
    await connection.close();
  });

  test('served as a thin front, read-only; another model is refused', async () => {
    await push(fixture.run, { to: address });
    const server = await serveTarget(address, { search: { model: model() }, logLevel: 'silent' });
    try {
      await server.listen(0);
      await server.start();
      const { url } = server as unknown as { url: string };
      const [{ text }] = fixture.queries;
      const response = await fetch(`${url}/v1/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, k: 3, filter: { even: true } }),
      });
      const answer = (await response.json()) as { hits: { id: string; snippet: unknown }[] };
      expect(answer.hits).toHaveLength(3);
      expect(answer.hits[0].snippet).toBeTruthy();
      const id = encodeURIComponent(answer.hits[0].id);
      expect(await (await fetch(`${url}/v1/documents/${id}`)).json()).toMatchObject({
        id: answer.hits[0].id,
      });
      const removed = await fetch(`${url}/v1/documents/${id}`, { method: 'DELETE' });
      expect(removed.ok).toBe(false);
    } finally {
      await server.close();
    }
    await expect(openSearcher(address, { model: 'minilm' })).rejects.toThrow(
      /was encoded by .*, not by minilm/,
    );
  });

  test('ANCE mines and measures through it as through an index of its own', async () => {
    const url = servers.address('training');
    const there = await trainTinyRun(fixture.folder, `remote-${type}`, [
      `refresh.index.type=${type}`,
      `refresh.index.url=${url}`,
    ]);
    const here = new RunDirectory(fixture.run);
    expect(await bestSoFar(there)).toMatchObject({ step: (await bestSoFar(here))!.step });
    const [last] = (await here.steps('checkpoints')).slice(-1);
    expect((await weightsOf(there, last)).equals(await weightsOf(here, last))).toBe(true);
    // Searching the run asks the engine; what nobody needs any more is gone from it.
    const searcher = await openSearcher(there.path, { modes: ['dense'] });
    expect(await searcher.search(fixture.queries[0].text, { k: 3, filter: { even: true } })).toHaveLength(3);
    await searcher.close();
    const connection = await connectEngine(url);
    const versions = await connection.versions('training');
    expect(versions.length).toBeLessThanOrEqual((await there.steps('index')).length);
    await connection.close();
  });

  test('learned weights of terms are found as our own index finds them; a training goes through it alike', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nearmiss-engines-sparse-'));
    try {
      await writeKeyWords(join(folder, 'data'));
      const train = async (name: string, more: string[] = []): Promise<RunDirectory> => {
        const run = await startRun(folder, name, { recipe: 'unicoil', set: [...SPARSE, ...more] });
        await bothRoles(run);
        return run;
      };
      const run = await train('here');
      const to = servers.address('sparse');
      expect(await push(run.path, { to })).toMatchObject({
        name: 'sparse',
        documents: 180,
        dimension: undefined,
      });
      const [here, there] = await Promise.all([
        openSearcher(run.path, { modes: ['dense'] }),
        openSearcher(to, { model: run.file('best') }),
      ]);
      for (const number of [0, 7, 30, 99]) {
        const { text } = (await here.documents.get(`d${number}`))!;
        const [expected, got] = [await here.search(text, { k: 20 }), await there.search(text, { k: 20 })];
        expect(got.map(({ score }) => score.toFixed(3))).toEqual(
          expected.map(({ score }) => score.toFixed(3)),
        );
        expect(got[0]).toMatchObject({ id: `d${number}`, text });
        const last = expected.at(-1)!.score;
        const sure = expected.filter(({ score }) => score > last + 1e-3).map(({ id }) => id);
        expect(got.map(({ id }) => id)).toEqual(expect.arrayContaining(sure));
      }
      await Promise.all([here.close(), there.close()]);
      const remote = await train('there', [
        `refresh.index.type=${type}`,
        `refresh.index.url=${servers.address('sparse-training')}`,
      ]);
      expect((await bestSoFar(remote))!.measures['RR@10']).toBeCloseTo(
        (await bestSoFar(run))!.measures['RR@10'],
        3,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('push and search from the command line', async () => {
    const to = servers.address('cli');
    const { stdout, code } = await runBuiltCli(['push', fixture.run, '--to', to, '--quiet', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'cli', documents: 196 });
    const found = await runBuiltCli(['search', to, fixture.queries[0].text, '--model', model(), '--json']);
    expect(found.code).toBe(0);
    const refused = await runBuiltCli(['search', `${servers.address('none')}`, 'x', '--model', model()]);
    expect(refused.stderr).toMatch(/nothing was pushed there/);
  });
});

test.each([
  [['push', 'x', '--to', 'redis://localhost:1/x'], /--to: expected ENGINE:\/\/HOST:PORT\/NAME/],
  [
    ['push', 'x', '--to', 'qdrant://u:p@localhost:1/x'],
    /expected an address without a password, got one in qdrant:\/\/u:\*\*\*@/,
  ],
  [['push', 'x', '--to', 'qdrant://localhost:1/a b'], /expected a name of letters/],
  [['push', 'x', '--to', 'postgres://localhost:1/db/a/b'], /expected a name of letters.*got "a\/b"/],
  [
    ['push', 'x', '--to', 'postgresql://me:secret@h/db/a'],
    /without a password, got one in postgresql:\/\/me:\*\*\*@/,
  ],
  [['push', 'x', '--to', 'qdrant://localhost:1/a?sslmode=require'], /qdrant has no such setting/],
])('%j is refused', async (args, message) => {
  const { stderr, code } = await runBuiltCli(args);
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
