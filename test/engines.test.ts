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
import { weightsOf } from '../src/train/run.fixture.js';
import { runBuiltCli } from './console-blocks.fixture.js';

interface RunningEngine {
  address(name: string): string;
  stop(): Promise<void>;
}

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

describe.each(ENGINES.filter(({ isHere }) => isHere))('a run in $type', ({ type, start, quantization }) => {
  let servers: RunningEngine;
  let fixture: SearchFixture;
  let address: string;
  const model = (): string => `${fixture.run}/best`;

  beforeAll(async () => {
    [servers, fixture] = await Promise.all([start(), makeSearchFixture()]);
    address = servers.address('docs');
  });
  afterAll(async () => {
    await servers?.stop();
    await fixture?.remove();
  });

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
    const there = await trainTinyRun(fixture.folder, 'remote', [
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
