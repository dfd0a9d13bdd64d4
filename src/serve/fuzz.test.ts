import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeCollection } from './collection.fixture.js';
import { serveTarget } from './serve-target.js';
import { ANIMALS, keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

const SECRET = 'the-secret-beside-the-folder';
/** Connections idle for less than 3 s are not used again by fetch, which would race with their being closed. */
const LIMITS = { bodyBytes: 64 * 1024, receiveMs: 4000, idleMs: 2900, textLength: 10_000 };

let folder: string;
let server: SearchServer;
const log = keptLog();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-fuzz-'));
  await writeFile(join(folder, 'secret.txt'), SECRET);
  await writeCollection(join(folder, 'data'), ANIMALS);
  await writeCollection(join(folder, 'web'), []);
  await writeFile(join(folder, 'web/index.html'), '<!doctype html><title>UI</title>');
  server = await serveTarget(join(folder, 'data'), { log, limits: LIMITS, webFolder: join(folder, 'web') });
  await server.listen(0);
  await server.start();
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Sends bytes as they are, and gives what comes back until the server has answered, closes or has had its time. */
async function raw(bytes: string | Uint8Array, { waitMs = 60_000 } = {}): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const waited = new AbortController();
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: waited.signal });
  const whole = async (): Promise<void> => {
    while (!/\r\n\r\n/.test(received)) await pause(5);
    await pause(5);
  };
  await Promise.race([closed, whole().catch(() => undefined), pause(waitMs).catch(() => undefined)]);
  waited.abort();
  socket.destroy();
  return received;
}

/** An answer is a success or a refusal, and tells nothing of the inside. */
function expectHarmless(status: number, text: string): void {
  expect(status < 500 || status === 503, `${status}: ${text}`).toBe(true);
  expect(text).not.toContain(SECRET);
  expect(text).not.toMatch(/\n? +at .*[/(].*:\d+:\d+/);
  expect(text).not.toContain(folder);
}

async function expectAlive(): Promise<void> {
  const { status, body } = await send(server, 'POST', '/v1/search', { query: 'dog' });
  expect([status, body.hits[0].id]).toEqual([200, 'dog']);
  expect(log.lines.filter(({ level }) => level === 50)).toEqual([]);
}

const PATHS = [
  '/v1/search',
  '/v1/documents',
  '/v1/documents/x',
  '/v1/documents/dog/neighbours',
  '/v1/embeddings',
  '/v1/rerank',
  '/v1/admin/reload',
  '/v1/info',
  '/v1/runs/x',
  '/v1/runs/x/curves',
  '/v1/runs/x/negatives',
  '/v1/runs/x/space',
  '/metrics',
  '/openapi.json',
  '/',
];
const FIELDS = [
  'query',
  'queries',
  'k',
  'mode',
  'filter',
  'explain',
  'snippets',
  'documents',
  'input',
  'text',
  'id',
  'metadata',
  'top_n',
  'model',
  '__proto__',
  'constructor',
];

const path = fc.oneof(
  fc.constantFrom(...PATHS),
  fc
    .tuple(fc.constantFrom(...PATHS, ''), fc.webPath(), fc.webQueryParameters())
    .map(([a, b, c]) => `${a}${b}?${c}`),
  fc.string({ unit: 'binary-ascii' }).map((text) => `/${encodeURIComponent(text)}`),
);
const json = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom(...FIELDS),
    fc.oneof(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.double()),
  ),
);

describe('whatever is sent', () => {
  test('random methods, paths, bodies and headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
        path,
        fc.oneof(
          json.map((value) => JSON.stringify(value)),
          fc.string(),
          fc.uint8Array({ maxLength: 200 }),
        ),
        fc.constantFrom(
          'application/json',
          'application/json; charset=latin1',
          'text/plain',
          'multipart/form-data',
          'x',
        ),
        fc.dictionary(
          fc.constantFrom(
            'x-request-id',
            'authorization',
            'x-api-key',
            'origin',
            'accept',
            'if-none-match',
            'range',
            'content-encoding',
            'x-forwarded-for',
          ),
          fc.string({ unit: 'grapheme-ascii' }),
        ),
        async (method, target, body, type, headers) => {
          const bodiless = method === 'GET' || method === 'HEAD';
          const response = await fetch(`${server.url}${target}`, {
            method,
            headers: { ...headers, 'content-type': type },
            body: bodiless ? undefined : (body as string),
          });
          expectHarmless(response.status, await response.text());
        },
      ),
      { numRuns: 400 },
    );
    await expectAlive();
  });

  test('bytes that are no HTTP, or nearly', async () => {
    const line = fc.constantFrom(
      'GET / HTTP/1.1',
      'POST /v1/search HTTP/1.1',
      'GET /../secret.txt HTTP/1.1',
      'PURGE / HTTP/1.1',
      'GET / HTTP/9.9',
      'Host: localhost',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 99999999999',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked',
      'Content-Type: application/json',
      'Expect: 100-continue',
      'Expect: nonsense',
      'Connection: upgrade',
      'Upgrade: websocket',
      `X: ${'x'.repeat(20_000)}`,
      '',
      'zzz',
      '5\r\n{"a":\r\n0\r\n',
      '\0\u0001',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(line, { maxLength: 8 }).map((lines) => `${lines.join('\r\n')}\r\n\r\n`),
          fc.uint8Array({ minLength: 1, maxLength: 300 }),
        ),
        async (bytes) => {
          const answer = await raw(bytes, { waitMs: 150 });
          const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
          if (status !== undefined) expectHarmless(Number(status), answer);
          else expect(answer).toBe('');
        },
      ),
      { numRuns: 120 },
    );
    await expectAlive();
  });

  test.each([
    ['deep arrays', '['.repeat(30_000) + ']'.repeat(30_000)],
    ['deep objects', `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
    ['a deep filter', `{"query":"dog","filter":${'{"$not":'.repeat(5_000)}{}${'}'.repeat(5_001)}`],
    [
      'deep metadata',
      `{"documents":[{"id":"a","text":"b","metadata":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}]}`,
    ],
    ['a poisoned prototype', '{"query":"dog","__proto__":{"k":5}}'],
    ['a poisoned prototype in other letters', '{"query":"dog","\\u005f_proto_\\u005F":{"k":5}}'],
    ['a prototype among documents', '{"documents":[{"id":"a","text":"b","metadata":{"__proto__":1}}]}'],
    ['an id that is lost in a path', '{"documents":[{"id":"..","text":"b"}]}'],
    ['half a character', '{"documents":[{"id":"\\ud800","text":"b"}]}'],
    ['a number beyond all', '{"query":"dog","k":1e999}'],
    ['not JSON', '{"query":'],
    ['nothing', ''],
  ])('%s: refused as a bad request', async (_, body) => {
    for (const target of ['/v1/search', '/v1/documents']) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${server.url}${target}`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
      expectHarmless(response.status, await response.text());
    }
    await expectAlive();
  });

  test('what is too large, compressed, or from another host', async () => {
    expect((await send(server, 'POST', '/v1/search', { query: 'x'.repeat(LIMITS.bodyBytes) })).status).toBe(
      413,
    );
    const head = 'POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    expect(await raw(`${head}Content-Length: 99999999\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await raw(`${head}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`)).toMatch(
      /^HTTP\/1\.1 4/,
    );
    expect(await raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(99_999)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    expect(await raw('GET /v1/info HTTP/1.1\r\nHost: rebound.example\r\n\r\n')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await raw('GET /v1/info HTTP/1.1\r\nHost: localhost:1\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    await expectAlive();
  });

  test('no path leads to a file outside', async () => {
    const climbs = [
      '../',
      '..%2f',
      '%2e%2e/',
      '%2e%2e%2f',
      '..%5c',
      '..\\',
      '....//',
      '%252e%252e%252f',
      '/',
      '%2f',
    ];
    for (const climb of climbs) {
      for (const prefix of ['/', '/assets/', '/docs/', '/docs/static/', '/v1/runs/', '/v1/documents/']) {
        for (const times of [1, 2, 6]) {
          const target = `${prefix}${climb.repeat(times)}secret.txt`;
          const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
          const [, status] = /^HTTP\/1\.1 (\d+)/.exec(answer) ?? [];
          expect(Number(status), target).toBeGreaterThanOrEqual(400);
          expectHarmless(Number(status), answer);
        }
      }
    }
    await expectAlive();
  });

  test('slow clients are told that they are, while others are served', async () => {
    const slow = [
      'POST /v1/search HTTP/1.1\r\nHost: localh',
      'POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"que',
      '',
    ].map((bytes) => raw(bytes));
    await expectAlive();
    const [headers, body, silent] = await Promise.all(slow);
    expect(headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toMatch(/^HTTP\/1\.1 408 /);
    expect(silent).toMatch(/^$|^HTTP\/1\.1 408 /);
    await expectAlive();
  });
});
