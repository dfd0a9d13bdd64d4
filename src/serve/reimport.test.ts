import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDataset, writeBeir } from '../data/index.js';
import { writeCollection } from './collection.fixture.js';
import { serveTarget } from './serve-target.js';
import { keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-reimport-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What `data import SOURCE data --overwrite` does. */
async function importText(text: string): Promise<void> {
  await writeCollection(join(folder, 'source'), [{ id: 'base', text }]);
  await writeBeir(await openDataset(join(folder, 'source')), join(folder, 'data'), { overwrite: true });
}

async function start(): Promise<SearchServer> {
  const server = await serveTarget(join(folder, 'data'), { log: keptLog() });
  await server.listen(0);
  await server.start();
  return server;
}

const put = (server: SearchServer, id: string) =>
  send(server, 'PUT', `/v1/documents/${id}`, { text: `live ${id}` });

async function texts(server: SearchServer): Promise<string[]> {
  const bodies = ['base', 'before', 'after'].map((id) => send(server, 'GET', `/v1/documents/${id}`));
  return (await Promise.all(bodies)).map(({ body }) => body.text);
}

test('a collection that is imported anew while it is served keeps the documents added to it', async () => {
  await importText('old text');
  let server = await start();
  expect((await put(server, 'before')).status).toBe(200);
  await importText('new text');
  expect((await put(server, 'after')).status).toBe(200);
  expect((await send(server, 'POST', '/v1/admin/reload')).body.changed).toBe(true);
  const expected = ['new text', 'live before', 'live after'];
  expect(await texts(server)).toEqual(expected);
  await server.close();
  await importText('newest text');
  server = await start();
  expect(await texts(server)).toEqual(['newest text', ...expected.slice(1)]);
  await server.close();
});

test('a document is not acknowledged where its log was removed', async () => {
  await importText('some text');
  const server = await start();
  await rm(join(folder, 'data', '.nearmiss'), { recursive: true });
  expect((await put(server, 'lost')).status).toBe(507);
  expect((await send(server, 'GET', '/v1/documents/lost')).status).toBe(404);
  await server.close();
});

test('a collection in a single file is served with its state beside it', async () => {
  await importText('in a file');
  const server = await serveTarget(join(folder, 'source', 'corpus.jsonl'), { log: keptLog() });
  await server.listen(0);
  await server.start();
  expect((await put(server, 'added')).status).toBe(200);
  await server.close();
  expect(await readdir(join(folder, 'source', '.nearmiss', 'corpus.jsonl'))).toContain('live');
});
