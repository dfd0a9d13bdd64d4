import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { writeCollection } from '../collection.fixture.js';
import { type ServeTargetOptions, serveTarget } from '../serve-target.js';
import { ANIMALS, keptLog, send } from '../server.fixture.js';
import type { SearchServer } from '../server.js';
import { isLoopbackHost } from './foreign-pages.js';
import { addKey, findKey, readKeys, removeKey } from './key-file.js';
import { KeyRing } from './key-ring.js';
import { parseOrigin } from './origins.js';

let folder: string;
let keyFile: string;
const keys = { read: '', write: '' };
const running: SearchServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-access-'));
  await writeCollection(join(folder, 'animals'), ANIMALS);
  keyFile = join(folder, 'keys.json');
  keys.read = (await addKey(keyFile, { role: 'read', name: 'website' })).key;
  keys.write = (await addKey(keyFile, { role: 'write' })).key;
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(options: ServeTargetOptions = {}): Promise<SearchServer> {
  const server = await serveTarget(join(folder, 'animals'), { log: keptLog(), ...options });
  running.push(server);
  await server.listen(0);
  await server.start();
  return server;
}

/** Reads of every kind, and everything that changes something. */
const READS = [
  ['GET', '/v1/info'],
  ['POST', '/v1/search', { query: 'dog' }],
  ['GET', '/v1/documents/dog'],
  ['GET', '/v1/runs'],
  ['GET', '/metrics'],
] as const;
const WRITES = [
  ['POST', '/v1/documents', { documents: [{ id: 'mouse', text: 'a small mouse' }] }],
  ['PUT', '/v1/documents/mouse', { text: 'a small mouse' }],
  ['DELETE', '/v1/documents/dog'],
  ['POST', '/v1/files', { files: [{ path: 'mouse.md', text: '# Mouse\n\nA small one.' }] }],
  ['POST', '/v1/files/read?path=mouse.md', Buffer.from('# Mouse')],
  ['POST', '/v1/judgments', { judgments: [{ query: 'pets', document: 'cat', grade: 1 }] }],
  ['POST', '/v1/admin/reload'],
] as const;
/** Whoever may write is told that there is nothing to learn from, nothing to stop, and no model to choose. */
const TRAININGS = [
  ['POST', '/v1/trainings', { run: 'mine' }],
  ['DELETE', '/v1/trainings/mine', undefined],
  ['POST', '/v1/negatives/preview', {}],
  ['PUT', '/v1/model', { run: 'mine' }],
  ['DELETE', '/v1/model', undefined],
] as const;

describe('with API keys', () => {
  test('who may do what', async () => {
    const server = await start({ keys: keyFile });
    const wrong = [
      undefined,
      'nonsense',
      '',
      `${keys.read}x`,
      keys.read.slice(0, -1),
      keys.write.replace(/^(nm_)\w{8}/, '$100000000'),
      'nm__',
    ];
    for (const [method, path, body] of [...READS, ...WRITES, ...TRAININGS]) {
      for (const key of wrong) {
        const headers = key === undefined ? undefined : { authorization: `Bearer ${key}` };
        const answer = await send(server, method, path, body, headers);
        expect([answer.status, answer.body.error.code], `${method} ${path} ${key}`).toEqual([
          401,
          'unauthorized',
        ]);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="nearmiss"');
      }
    }
    const ways: Record<string, string>[] = [
      { authorization: `bearer ${keys.read}` },
      { 'x-api-key': keys.read },
    ];
    for (const headers of ways) {
      for (const [method, path, body] of READS) {
        expect((await send(server, method, path, body, headers)).status, path).toBe(200);
      }
      for (const [method, path, body] of [...WRITES, ...TRAININGS]) {
        const answer = await send(server, method, path, body, headers);
        expect([answer.status, answer.body.error.code], path).toEqual([403, 'forbidden']);
      }
    }
    const info = await send(server, 'GET', '/v1/info', undefined, { 'x-api-key': keys.read });
    expect(info.body).toMatchObject({ documents: 3, auth: 'required', writable: true });
    // Before anybody has judged a hit there is nothing to train on.
    const trainings = TRAININGS.map(([method, path, body]) =>
      send(server, method, path, body, { 'x-api-key': keys.write }),
    );
    expect((await Promise.all(trainings)).map(({ status }) => status)).toEqual([422, 404, 422, 404, 409]);
    for (const [method, path, body] of [...READS, ...WRITES]) {
      const answer = await send(server, method, path, body, { 'x-api-key': keys.write });
      expect(answer.status, path).toBe(200);
    }
    for (const path of ['/v1/health', '/openapi.json']) {
      expect((await send(server, 'GET', path)).status, path).toBe(200);
    }
    expect((await send(server, 'GET', '/v1/nothing')).status).toBe(404);
  });

  test('every route that changes something is in the test above', async () => {
    const server = await start({ keys: keyFile });
    const { body } = await send(server, 'GET', '/openapi.json');
    const changing = Object.entries<Record<string, unknown>>(body.paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
      .filter(
        (route) =>
          !/^(?:get|head) |^post \/v1\/(?:search|embeddings|rerank)$|^post \/v2\/rerank$/.test(route),
      );
    expect(changing.sort()).toEqual([
      'delete /v1/documents/{id}',
      'delete /v1/model',
      'delete /v1/trainings/{run}',
      'post /v1/admin/reload',
      'post /v1/documents',
      'post /v1/files',
      'post /v1/files/read',
      'post /v1/judgments',
      'post /v1/negatives/preview',
      'post /v1/trainings',
      'put /v1/documents/{id}',
      'put /v1/model',
    ]);
  });

  test('a refused request has its body left unread', async () => {
    const server = await start({ keys: keyFile });
    const answer = await send(server, 'POST', '/v1/documents', 'x'.repeat(9 * 1024 * 1024));
    expect(answer.status).toBe(401);
  });

  test('a key made or removed while the server runs counts a second later', async () => {
    const file = join(folder, 'changing.json');
    const first = await addKey(file, { role: 'read' });
    const server = await start({ keys: file });
    const status = async (key: string) =>
      (await send(server, 'GET', '/v1/info', undefined, { 'x-api-key': key })).status;
    expect(await status(first.key)).toBe(200);
    const second = await addKey(file, { role: 'read', name: 'second' });
    await removeKey(file, first.stored.id);
    await expect.poll(async () => [await status(first.key), await status(second.key)]).toEqual([401, 200]);
    await rm(file);
    await sleep(1100);
    expect(await status(second.key)).toBe(200);
  });
});

describe('without API keys', () => {
  test('this machine may write, unless it is read-only', async () => {
    const open = await start();
    expect((await send(open, 'GET', '/v1/info')).body).toMatchObject({ auth: 'none', writable: true });
    expect((await send(open, 'PUT', '/v1/documents/mouse', { text: 'small' })).status).toBe(200);
    await open.close();
    const readOnly = await start({ readOnly: true });
    for (const [method, path, body] of WRITES.slice(0, 3)) {
      expect((await send(readOnly, method, path, body)).status, path).toBe(403);
    }
    expect((await send(readOnly, 'POST', '/v1/admin/reload')).status).toBe(200);
    expect((await send(readOnly, 'GET', '/v1/info')).body.writable).toBe(false);
  });

  test('other machines are not served unless that is asked for, and then they only read', async () => {
    const target = join(folder, 'animals');
    await expect(serveTarget(target, { host: '0.0.0.0' })).rejects.toThrow(
      /for this machine alone, not for 0\.0\.0\.0/,
    );
    const server = await start({ host: '0.0.0.0', insecure: true });
    expect((await send(server, 'GET', '/v1/info')).body.writable).toBe(false);
    for (const [method, path, body] of WRITES) {
      expect((await send(server, method, path, body)).status, path).toBe(403);
    }
  });
});

describe('pages of other origins', () => {
  test('change nothing, and read only what CORS allows', async () => {
    const server = await start();
    const foreign = { origin: 'https://evil.example' };
    for (const [method, path, body] of WRITES) {
      expect((await send(server, method, path, body, foreign)).status, path).toBe(403);
    }
    const own = { origin: server.url };
    expect((await send(server, 'POST', '/v1/admin/reload', undefined, own)).status).toBe(200);
    const simple = { ...foreign, 'content-type': 'text/plain' };
    expect((await send(server, 'POST', '/v1/search', { query: 'dog' }, simple)).status).toBe(403);
    expect(
      (await send(server, 'POST', '/v1/search', { query: 'dog' }, { 'content-type': 'text/plain' })).status,
    ).toBe(415);
  });

  test('may use the API where they are allowed to', async () => {
    const origin = 'https://shop.example';
    const server = await start({ cors: [origin], keys: keyFile });
    const preflight = await send(server, 'OPTIONS', '/v1/search', undefined, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    const answer = await send(
      server,
      'POST',
      '/v1/search',
      { query: 'dog' },
      { origin, 'x-api-key': keys.read },
    );
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    const other = await send(server, 'GET', '/v1/health', undefined, { origin: 'https://evil.example' });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('of every origin may read with *, and write with a key only', async () => {
    const page = { origin: 'https://any.example' };
    const state = join(folder, 'cors-state');
    const open = await start({ cors: ['*'], state });
    for (const [method, path, body] of READS) {
      const answer = await send(open, method, path, body, page);
      expect([answer.status, answer.headers.get('access-control-allow-origin')], path).toEqual([200, '*']);
    }
    for (const [method, path, body] of WRITES) {
      const answer = await send(open, method, path, body, page);
      expect([answer.status, answer.body.error.code], path).toEqual([403, 'forbidden']);
    }
    await open.close();
    const locked = await start({ cors: ['*'], keys: keyFile, state });
    for (const [method, path, body] of WRITES) {
      const as = async (key: string) =>
        (await send(locked, method, path, body, { ...page, 'x-api-key': key })).status;
      expect([await as('none'), await as(keys.read), await as(keys.write)], path).toEqual([401, 403, 200]);
    }
  });

  test('that are allowed change nothing without keys', async () => {
    const server = await start({ cors: ['https://shop.example'], state: join(folder, 'shop-state') });
    const page = { origin: 'https://shop.example' };
    expect((await send(server, 'POST', '/v1/search', { query: 'dog' }, page)).status).toBe(200);
    for (const [method, path, body] of WRITES) {
      expect((await send(server, method, path, body, page)).status, path).toBe(403);
    }
    expect((await send(server, 'GET', '/v1/documents/mouse')).status).toBe(404);
  });

  test('are named as browsers name them', async () => {
    for (const [given, sent] of [
      ['https://Shop.Example/', 'https://shop.example'],
      ['https://shop.example:443', 'https://shop.example'],
      ['http://localhost:5173', 'http://localhost:5173'],
      ['tauri://localhost', 'tauri://localhost'],
    ]) {
      expect(parseOrigin(given)).toBe(sent);
    }
    for (const wrong of [
      '',
      'shop.example',
      'https://',
      'https://shop.example/app',
      'https://a@b.c',
      'null',
    ]) {
      expect(() => parseOrigin(wrong), wrong).toThrow(/expected an origin such as/);
    }
  });

  test('what means this machine', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1.2.3', '::1', '[::1]', 'app.localhost'])
      expect(isLoopbackHost(host), host).toBe(true);
    for (const host of [
      '',
      '0.0.0.0',
      '::',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      '1270.0.0.1',
    ])
      expect(isLoopbackHost(host), host).toBe(false);
  });
});

describe('the file of keys', () => {
  test('holds no key, and is for its owner', async () => {
    const text = await readFile(keyFile, 'utf8');
    for (const key of Object.values(keys)) {
      expect(key).toMatch(/^nm_[0-9a-f]{8}_[\w-]{43}$/);
      expect(text).not.toContain(key.slice(12));
    }
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    expect(findKey(await readKeys(keyFile), keys.read)?.name).toBe('website');
  });

  test('keys made at the same time are all kept', async () => {
    const file = join(folder, 'many.json');
    await Promise.all(Array.from({ length: 8 }, (_, i) => addKey(file, { role: 'read', name: `k${i}` })));
    expect(await readKeys(file)).toHaveLength(8);
    expect((await removeKey(file, 'k3')).name).toBe('k3');
    await expect(removeKey(file, 'k3')).rejects.toThrow(`${file}: no key called "k3"`);
  });

  test('that is missing or damaged is said', async () => {
    const ring = (path: string) => KeyRing.open(path, () => undefined);
    await expect(ring(join(folder, 'none.json'))).rejects.toThrow(/none\.json: no such file/);
    await expect(ring(join(folder, 'animals/corpus.jsonl'))).rejects.toThrow(/corpus\.jsonl.*not valid JSON/);
  });
});
