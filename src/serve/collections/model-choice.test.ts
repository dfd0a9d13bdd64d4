import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { trainTinyRun, writeTinyData } from '../../analyze/tiny-run.fixture.js';
import { openSearcher } from '../../search/index.js';
import { resolveTarget } from '../../search/open/target.js';
import { type ServeTargetOptions, serveTarget } from '../serve-target.js';
import { keptLog, send } from '../server.fixture.js';
import type { SearchServer } from '../server.js';
import { ModelChoice } from './model-choice.js';

let folder: string;
const data = () => join(folder, 'data');
/** What the collection is searched with by itself: the first of two runs, which are all there is of small models. */
const usual = () => join(folder, 'usual', 'best');
const runs = () => join(folder, 'runs');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-choice-'));
  await writeTinyData(folder);
  await trainTinyRun(folder, 'usual');
  await trainTinyRun(folder, 'runs/other', ['seed=9']);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function serve(options: ServeTargetOptions = {}): Promise<SearchServer> {
  const search = { collectionModel: usual(), modes: ['dense'] };
  const server = await serveTarget(data(), { log: keptLog(), runs: runs(), search, ...options });
  onTestFinished(() => server.close());
  await server.listen(0);
  await server.start();
  return server;
}

const info = async (server: SearchServer) => (await send(server, 'GET', '/v1/info')).body;
const vector = async (server: SearchServer) =>
  (await send(server, 'POST', '/v1/embeddings', { input: 'a text' })).body.data[0].embedding;
const settled = (server: SearchServer) =>
  expect.poll(async () => (await send(server, 'GET', '/v1/status')).body.model).toBeUndefined();

test('a run that is chosen takes over by itself, for later servers and programs, too, and can be taken back', async () => {
  const server = await serve();
  expect(await info(server)).toMatchObject({ choosable: true, model: { label: expect.any(String) } });
  expect((await info(server)).run).toBeUndefined();
  const [before, first] = [await vector(server), (await info(server)).version];
  await send(server, 'PUT', '/v1/documents/new', { text: 'added before the model was changed' });

  const { status, body } = await send(server, 'PUT', '/v1/model', { run: 'other' });
  expect([status, body]).toEqual([202, { model: 'other' }]);
  await settled(server);
  const chosen = await info(server);
  expect(chosen).toMatchObject({ run: 'other', model: { label: 'other', trainedAt: expect.any(String) } });
  expect(chosen.version).not.toBe(first);
  const after = await vector(server);
  expect(after).not.toEqual(before);
  const found = await send(server, 'POST', '/v1/search', { query: 'added before the model was changed' });
  expect(found.body.hits[0].id).toBe('new');
  await server.close();

  const notes: string[] = [];
  const searcher = await openSearcher(data(), {
    collectionModel: usual(),
    onNote: (note) => notes.push(note),
  });
  expect([...(await searcher.encode(['a text'], 'query'))].map((value) => value.toFixed(5))).toEqual(
    after.map((value: number) => value.toFixed(5)),
  );
  await searcher.close();
  expect(notes.join()).toContain(`with the model of ${join(runs(), 'other')}`);

  const second = await serve();
  expect(await info(second)).toMatchObject({ run: 'other' });
  expect((await send(second, 'DELETE', '/v1/model')).body).toEqual({ model: 'the model as published' });
  await settled(second);
  expect(await vector(second)).toEqual(before);
  expect((await info(second)).run).toBeUndefined();
});

test('what a server was making when it ended is gone on with by the next', async () => {
  const { cache } = await resolveTarget(data(), { model: usual() });
  const other = join(runs(), 'other');
  const killed = await ModelChoice.open(cache);
  // A kill: nothing after it happens.
  void killed.change(other, () => new Promise(() => {}));
  await expect.poll(async () => (await ModelChoice.open(cache)).unfinished).toBe(other);
  expect((await ModelChoice.open(cache)).run).toBeUndefined();

  const server = await serve();
  await expect.poll(async () => (await info(server)).run).toBe('other');
  await settled(server);
  const after = await ModelChoice.open(cache);
  expect([after.run, after.unfinished]).toEqual([other, undefined]);
  await send(server, 'DELETE', '/v1/model');
  await settled(server);
  await server.close();

  const broken = () => Promise.reject(new Error('its vectors cannot be made'));
  const end = AbortSignal.abort();
  await expect((await ModelChoice.open(cache)).change(other, broken, { end })).rejects.toThrow(
    'cannot be made',
  );
  expect((await ModelChoice.open(cache)).unfinished).toBe(other);
  await expect((await ModelChoice.open(cache)).change(other, broken)).rejects.toThrow('cannot be made');
  expect((await ModelChoice.open(cache)).unfinished).toBeUndefined();
});

test('what cannot be chosen is refused in words', async () => {
  const server = await serve();
  expect(await send(server, 'PUT', '/v1/model', { run: 'nobody' })).toMatchObject({
    status: 404,
    body: { error: { message: 'there is no run "nobody"' } },
  });
  await server.close();
  const named = await serve({ search: { model: usual(), modes: ['dense'] } });
  expect((await info(named)).choosable).toBe(false);
  expect(await send(named, 'PUT', '/v1/model', { run: 'other' })).toMatchObject({
    status: 409,
    body: { error: { message: 'the model cannot be chosen here' } },
  });
  await named.close();
  const words = await serve({ search: { collectionModel: usual(), modes: ['bm25'] } });
  expect((await info(words)).choosable).toBe(false);
});

test('a run that is gone is told, and the usual model searches', async () => {
  const server = await serve();
  await send(server, 'PUT', '/v1/model', { run: 'other' });
  await settled(server);
  await server.close();
  await rename(runs(), `${runs()}-away`);
  onTestFinished(() => rename(`${runs()}-away`, runs()));
  const log = keptLog();
  const next = await serve({ log });
  expect((await info(next)).run).toBeUndefined();
  expect(log.lines.map(({ msg }) => msg).join()).toMatch(
    /other is not there any more, whose model was chosen/,
  );
});
