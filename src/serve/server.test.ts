import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EngineAway } from '../index/engines/engine-away.js';
import { MemorySearcher } from './memory-searcher.fixture.js';
import { ANIMALS, keptLog, send, startServer } from './server.fixture.js';
import { SearchServer, type ServerOptions } from './server.js';

const running: SearchServer[] = [];

async function start(options: Partial<ServerOptions> = {}): Promise<SearchServer> {
  const server = await startServer(options);
  running.push(server);
  return server;
}

/** Opens a searcher that works once it is released; `begun` is there with the first work. */
function gated(): { open: () => Promise<MemorySearcher>; release: () => void; begun: Promise<void> } {
  let [release, begin] = [(): void => {}, (): void => {}];
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const pause = (): Promise<void> => {
    begin();
    return gate;
  };
  return { open: async () => new MemorySearcher('v1', ANIMALS, { pause }), release, begun };
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

describe('searching', () => {
  let server: SearchServer;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server.close());

  test('one query, with what a person wants to see of each hit', async () => {
    const { status, body } = await send(server, 'POST', '/v1/search', { query: 'black dog', k: 2 });
    expect(status).toBe(200);
    expect(body).toEqual({
      version: 'v1',
      mode: 'bm25',
      tookMs: expect.any(Number),
      hits: [
        {
          id: 'dog',
          score: 2,
          title: 'Dogs',
          titleHighlights: [],
          snippet: { text: 'a black dog barks', highlights: [] },
          metadata: { legs: 4 },
        },
        { id: 'cat', score: 1, snippet: { text: 'a black cat sleeps', highlights: [] } },
      ],
    });
  });

  test('several at once', async () => {
    const { body } = await send(server, 'POST', '/v1/search', {
      queries: ['cat', 'nothing', 'dog'],
      snippets: false,
    });
    expect(body.results).toEqual([
      { hits: [{ id: 'cat', score: 1 }] },
      { hits: [] },
      { hits: [{ id: 'dog', score: 1, title: 'Dogs', metadata: { legs: 4 } }] },
    ]);
  });

  test.each([
    [{}, 'body: expected either "query" or "queries", got an object'],
    [{ query: 'a', queries: ['b'] }, 'body: expected either "query" or "queries", got an object'],
    [{ query: 7 }, 'body: field "query": expected string, got a number (7)'],
    [{ query: '' }, 'body: field "query": expected string to have >=1 characters, got the text ""'],
    [{ query: 'a', k: 0 }, 'body: field "k": expected number to be >=1, got a number (0)'],
    [{ query: 'a', k: 1e9 }, 'body: field "k": expected number to be <=1000, got a number (1000000000)'],
    [
      { query: 'a', filter: JSON.parse('{"a":{"__proto__":1}}') },
      'body: field "filter.a.__proto__": no field can have the name __proto__',
    ],
    [{ queries: new Array(1001).fill(1) }, /^body: field "queries": expected at most 1000 queries, got/],
    [
      { queries: Array(11).fill('a'), k: 1000 },
      'body: expected at most 10000 hits in all (k times the number of queries), got an object',
    ],
    [
      { query: 'a', filter: { year: { $above: 3 } } },
      /^body: field "filter": filter\.year\.\$above: expected one of \$eq/,
    ],
    [{ query: 'a', mode: 'bm52' }, /^body: field "mode": .* \(did you mean "bm25"\?\), got/],
    [
      { query: 'a', mode: 'cascade', rerank: { first: 'hybird' } },
      /^body: field "rerank\.first": .* \(did you mean "hybrid"\?\), got/,
    ],
    [[], 'body: expected object, got an array of 0'],
    ['text', 'body: expected object, got the text "text"'],
    [null, 'body: expected object, got null'],
  ])('%j is refused, and why', async (request, message) => {
    const { status, body, headers } = await send(server, 'POST', '/v1/search', request);
    expect(status).toBe(400);
    expect(body.error).toEqual({
      code: 'bad_request',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      hint: 'see /docs',
      requestId: headers.get('x-request-id'),
    });
  });

  test.each([
    [
      'POST',
      '/v1/search',
      { query: 'a', filtr: {} },
      'body: unknown field "filtr"',
      'did you mean "filter"?',
    ],
    [
      'POST',
      '/v1/search',
      { query: 'a', rerank: { frist: 'bm25' } },
      'body: field "rerank": unknown field "frist"',
      'did you mean "first"?',
    ],
    ['GET', '/v1/search?q=a&groupby=file', undefined, /unknown field "groupby"/, 'did you mean "groupBy"?'],
    [
      'POST',
      '/v1/search',
      { query: 'a', colour: 'red' },
      'body: unknown field "colour"',
      'there are query, queries, mode, k, filter, explain, snippets, groupBy, rerank',
    ],
  ])('%s %s with a field it does not know: what was meant', async (method, path, request, message, meant) => {
    const { status, body } = await send(server, method, path, request);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(message);
    expect(body.error.hint).toBe(`${meant}; see /docs`);
  });

  test('what this index cannot do is said, with what it would need', async () => {
    const cascade = await send(server, 'POST', '/v1/search', { query: 'a', mode: 'cascade' });
    expect(cascade).toMatchObject({ status: 422, body: { error: { code: 'unavailable' } } });
    expect(cascade.body.error.hint).toBe(
      'it needs a cross-encoder and a collection, and the server was started without',
    );
    for (const [path, body] of [
      ['/v1/embeddings', { input: 'a' }],
      ['/v1/rerank', { query: 'a', documents: ['b'] }],
    ] as const) {
      expect(await send(server, 'POST', path, body)).toMatchObject({ status: 422 });
    }
    expect(await send(server, 'GET', '/v1/documents/dog/neighbours')).toMatchObject({ status: 422 });
  });
});

describe('documents', () => {
  test('are found by ids of any kind', async () => {
    const server = await start();
    expect((await send(server, 'GET', '/v1/documents/dog')).body).toEqual({ version: 'v1', ...ANIMALS[0] });
    const marked = await send(server, 'GET', '/v1/documents/dog?query=black');
    expect(marked.body.highlights).toEqual([]);
    const path = `/v1/documents/${encodeURIComponent('a/b c%')}`;
    expect((await send(server, 'GET', path)).body.text).toBe('strange names exist');
    expect(await send(server, 'GET', '/v1/documents/mouse')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: 'there is no document "mouse"' } },
    });
  });

  test('an engine behind it that is away is told, without its address', async () => {
    const pause = () => Promise.reject(new EngineAway('Qdrant at http://10.0.0.1:6333 does not answer'));
    const server = await start({ open: async () => new MemorySearcher('v1', ANIMALS, { pause }) });
    for (const asked of [
      await send(server, 'POST', '/v1/search', { query: 'dog' }),
      await send(server, 'GET', '/v1/documents/dog'),
    ]) {
      expect(asked).toMatchObject({
        status: 503,
        body: {
          error: { code: 'unavailable', message: 'the search engine behind this server does not answer' },
        },
      });
      expect(asked.headers.get('retry-after')).toBe('5');
      expect(JSON.stringify(asked.body)).not.toContain('10.0.0.1');
    }
  });

  test('cannot be changed without a place to keep changes', async () => {
    const server = await start();
    expect((await send(server, 'GET', '/v1/info')).body.writable).toBe(false);
    expect(await send(server, 'DELETE', '/v1/documents/dog')).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', hint: 'whoever runs it started it for reading alone' } },
    });
  });
});

describe('the server', () => {
  test('says what it serves', async () => {
    const server = await start();
    expect((await send(server, 'GET', '/v1/info')).body).toEqual({
      name: 'memory',
      version: 'v1',
      documents: 3,
      coming: false,
      modes: ['bm25'],
      defaultMode: 'bm25',
      collections: [{ name: 'memory', path: '' }],
      writable: false,
      trainable: false,
      auth: 'none',
      choosable: false,
      runs: [],
      runsOfCollection: [],
    });
    expect((await send(server, 'GET', '/v1/health')).body).toEqual({ status: 'ok', version: 'v1' });
  });

  test('counts requests, times them, and shows its state to Prometheus', async () => {
    const server = await start();
    await send(server, 'POST', '/v1/search', { query: 'dog' });
    await send(server, 'GET', '/v1/no-such-thing');
    const { body, headers } = await send(server, 'GET', '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of [
      'nearmiss_http_requests_total{method="POST",route="/v1/search",status="200"} 1',
      'nearmiss_http_requests_total{method="GET",route="none",status="404"} 1',
      'nearmiss_http_request_duration_seconds_count{method="POST",route="/v1/search"} 1',
      'nearmiss_search_duration_seconds_count{mode="bm25"} 1',
      'nearmiss_requests_waiting 0',
      'nearmiss_documents{collection=""} 3',
      'nearmiss_index_info{collection="",version="v1"} 1',
    ]) {
      expect(body).toContain(`${line}\n`);
    }
    expect(body).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(body).toContain('process_resident_memory_bytes');
  });

  test('describes itself: every route with its answers', async () => {
    const server = await start();
    const { body } = await send(server, 'GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    expect(Object.keys(body.paths).sort()).toEqual(
      expect.arrayContaining([
        '/metrics',
        '/v1/admin/reload',
        '/v1/documents',
        '/v1/documents/{id}',
        '/v1/documents/{id}/neighbours',
        '/v1/embeddings',
        '/v1/health',
        '/v1/info',
        '/v1/rerank',
        '/v1/search',
      ]),
    );
    expect(
      body.paths['/v1/search'].post.requestBody.content['application/json'].schema.properties.k,
    ).toMatchObject({
      default: 10,
      maximum: 1000,
    });
    expect(body.components.schemas.Hit).toBeDefined();
  });

  test('a request id is taken over where it can be logged, else made; queries are not logged', async () => {
    const log = keptLog();
    const server = await start({ log });
    const given = await send(server, 'POST', '/v1/search', { query: 'secret' }, { 'x-request-id': 'mine-1' });
    expect(given.headers.get('x-request-id')).toBe('mine-1');
    const bad = await send(server, 'GET', '/v1/health', undefined, { 'x-request-id': 'a b"c' });
    expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(log.lines[0].msg).toBe(`listening on ${server.url}`);
    expect(log.lines).toContainEqual(
      expect.objectContaining({ requestId: 'mine-1', method: 'POST', route: '/v1/search', status: 200 }),
    );
    expect(JSON.stringify(log.lines)).not.toContain('secret');
  });

  test('sends headers that keep browsers careful, also with refusals', async () => {
    const server = await start();
    for (const path of ['/v1/info', '/v1/nothing', '/v1/documents/mouse']) {
      const { headers } = await send(server, 'GET', path);
      expect(headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('server')).toBeNull();
    }
  });

  test('internal errors stay in the log', async () => {
    const log = keptLog();
    const open = async (): Promise<MemorySearcher> => {
      const searcher = new MemorySearcher('v1', ANIMALS);
      searcher.closed = true;
      return searcher;
    };
    const server = await SearchServer.create({ open, log });
    await server.listen(0);
    await server.start();
    const { status, body } = await send(server, 'POST', '/v1/search', { query: 'dog' });
    expect(status).toBe(500);
    expect(body.error).toMatchObject({ code: 'internal', message: 'something went wrong in the server' });
    expect(JSON.stringify(log.lines)).toContain('closed under');
    await expect(server.close()).rejects.toThrow('closed twice');
  });

  test('a port that is taken is said', async () => {
    const server = await start();
    const second = await SearchServer.create({ open: async () => new MemorySearcher('v1', []) });
    await expect(second.listen(Number(new URL(server.url).port))).rejects.toThrow(
      /port \d+ of 127.0.0.1 is taken/,
    );
    await second.close();
  });
});

describe('versions', () => {
  test('a reload takes over; one that fails leaves everything as it is, and says so', async () => {
    let version = 'v1';
    const open = async (): Promise<MemorySearcher> => {
      if (version === 'broken') throw new Error('index damaged');
      return new MemorySearcher(version, ANIMALS);
    };
    const server = await start({ open });
    const reload = () => send(server, 'POST', '/v1/admin/reload');
    expect((await reload()).body).toEqual({ version: 'v1', changed: false });
    version = 'v2';
    expect((await reload()).body).toEqual({ version: 'v2', changed: true });
    version = 'broken';
    const failed = await reload();
    expect(failed.status).toBe(500);
    expect(failed.body.error).toMatchObject({
      code: 'reload_failed',
      message: 'the newer index could not be opened, v2 goes on answering: index damaged',
    });
    expect((await send(server, 'POST', '/v1/search', { query: 'dog' })).body.version).toBe('v2');
    expect((await send(server, 'GET', '/metrics')).body).toContain(
      'nearmiss_reloads_total{outcome="failed"} 1',
    );
  });

  test('an index that takes too long to open: come back later', async () => {
    const open = async (): Promise<MemorySearcher> => new MemorySearcher('v1', ANIMALS);
    const server = await SearchServer.create({ open, log: keptLog(), limits: { waitMs: 50 } });
    running.push(server);
    await server.listen(0);
    const { status, body, headers } = await send(server, 'POST', '/v1/search', { query: 'dog' });
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'starting', '5']);
  });

  test('requests that come before the index is open get their answer when it is', async () => {
    const server = await SearchServer.create({
      open: async () => new MemorySearcher('v1', ANIMALS),
      log: keptLog(),
    });
    running.push(server);
    await server.listen(0);
    expect(await send(server, 'GET', '/v1/health')).toMatchObject({
      status: 503,
      body: { error: { code: 'starting' } },
    });
    const early = send(server, 'POST', '/v1/search', { query: 'dog' });
    await sleep(50);
    await server.start();
    expect((await early).body.version).toBe('v1');
  });
});

describe('under load', () => {
  test('more than may wait is told to come back later; the rest is answered', async () => {
    const { open, release } = gated();
    const server = await start({ open, limits: { concurrent: 2, waiting: 3 } });
    const answers: { status: number; headers: Headers; body: { error: { code: string } } }[] = [];
    const sent = Array.from({ length: 12 }, async () => {
      answers.push(await send(server, 'POST', '/v1/search', { query: 'dog' }));
    });
    await expect.poll(() => answers).toHaveLength(7);
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(429));
    expect(answers[0].headers.get('retry-after')).toBe('1');
    expect(answers[0].body.error.code).toBe('overloaded');
    release();
    await Promise.all(sent);
    expect(answers.slice(7).map(({ status }) => status)).toEqual(Array(5).fill(200));
  });

  test('what takes too long is answered all the same', async () => {
    const { open, release } = gated();
    const server = await start({ open, limits: { workMs: 50 } });
    expect(await send(server, 'POST', '/v1/search', { query: 'dog' })).toMatchObject({
      status: 504,
      body: { error: { code: 'timeout' } },
    });
    release();
  });

  test('work may take longer than a connection may be silent', async () => {
    const { open, release, begun } = gated();
    const idleMs = 500;
    const server = await start({ open, limits: { idleMs, receiveMs: 10_001 } });
    const answer = send(server, 'POST', '/v1/search', { query: 'dog' });
    await begun;
    await sleep(2 * idleMs);
    release();
    expect((await answer).status).toBe(200);
  });

  test('stopping lets requests finish', async () => {
    const { open, release, begun } = gated();
    const server = await start({ open });
    const answer = send(server, 'POST', '/v1/search', { query: 'dog' });
    await begun;
    const closed = server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    release();
    expect((await answer).status).toBe(200);
    await closed;
  });

  test('but not for ever', async () => {
    const { open, release, begun } = gated();
    const server = await start({ open, limits: { graceMs: 50 } });
    const cut = send(server, 'POST', '/v1/search', { query: 'dog' }).catch((error) => error);
    await begun;
    const closed = server.close();
    expect(await cut).toBeInstanceOf(Error);
    release();
    await closed;
  });
});

describe('the web UI', () => {
  let webFolder: string;

  beforeAll(async () => {
    webFolder = await mkdtemp(join(tmpdir(), 'nearmiss-web-'));
    await mkdir(join(webFolder, 'site/assets'), { recursive: true });
    await writeFile(join(webFolder, 'site/index.html'), '<!doctype html><title>UI</title>');
    await writeFile(join(webFolder, 'site/assets/app-1a2b.js'), 'start();');
    await writeFile(join(webFolder, 'site/.hidden'), 'secret');
    await writeFile(join(webFolder, 'secret'), 'secret');
    webFolder = join(webFolder, 'site');
  });

  afterAll(() => rm(join(webFolder, '..'), { recursive: true, force: true }));

  test('its page answers for its paths, its files are kept by browsers, the API stays JSON', async () => {
    const server = await start({ webFolder });
    const html = { accept: 'text/html,*/*' };
    for (const path of ['/', '/training', '/document/dog?k=1']) {
      const page = await send(server, 'GET', path, undefined, html);
      expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<title>UI</title>') });
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('cache-control')).toBe('no-cache');
    }
    const asset = await send(server, 'GET', '/assets/app-1a2b.js');
    expect(asset.headers.get('cache-control')).toContain('immutable');
    for (const path of ['/v1/nothing', '/v1', '/openapi.json/nothing']) {
      const { status, body } = await send(server, 'GET', path, undefined, html);
      expect([status, body.error?.code], path).toEqual([404, 'not_found']);
    }
    expect((await send(server, 'GET', '/assets/gone.js')).status).toBe(404);
    expect((await send(server, 'POST', '/training', {})).status).toBe(404);
  });

  test('no path leads out of its folder, or to hidden files', async () => {
    const server = await start({ webFolder });
    for (const path of [
      '/.hidden',
      '/../secret',
      '/..%2fsecret',
      '/assets/..%2f..%2fsecret',
      '/%2e%2e/secret',
      '/..%5csecret',
    ]) {
      const { status, body } = await send(server, 'GET', path);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(body)).not.toContain('"secret"');
    }
  });

  test('where it has not been built, that is said', async () => {
    const server = await start({ webFolder: join(webFolder, 'none') });
    const { status, body } = await send(server, 'GET', '/', undefined, { accept: 'text/html' });
    expect([status, body.error.hint]).toEqual([404, 'see /openapi.json; the web UI has not been built']);
  });
});
