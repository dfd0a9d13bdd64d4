import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSearchFixture, type SearchFixture } from '../search/search.fixture.js';
import { serveTarget } from './serve-target.js';
import { keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

let fixture: SearchFixture;
let server: SearchServer;

beforeAll(async () => {
  fixture = await makeSearchFixture();
  server = await serveTarget(fixture.run, {
    log: keptLog(),
    limits: { batch: 50, hits: 60 },
    search: { threads: 1, reranker: fixture.reranker, rerankDepth: 10 },
  });
  await server.listen(0);
  await server.start();
});

afterAll(async () => {
  await server?.close();
  await fixture?.remove();
});

const search = (body: object) =>
  send(server, 'POST', '/v1/search', { query: fixture.documents[20].text, mode: 'cascade', ...body });

async function partsWith(rerank: object | undefined): Promise<string[]> {
  const { body } = await search({ k: 1, explain: true, rerank });
  return body.hits[0].parts.map(({ name }: { name: string }) => name);
}

/** With and without a document laid over the index, which takes another way. */
test.each(['untouched', 'changed'])('a request says what its cascade reranks (%s)', async (state) => {
  if (state === 'changed') await send(server, 'PUT', '/v1/documents/new', { text: 'a zebra' });
  expect(await partsWith(undefined)).toEqual(['dense', 'cross-encoder']);
  expect(await partsWith({ first: 'bm25' })).toEqual(['bm25', 'cross-encoder']);
  expect(await partsWith({ first: 'hybrid', depth: 5 })).toEqual(['dense', 'bm25', 'cross-encoder']);
  // As the first finds them: the best one alone has nothing to change places with.
  for (const first of ['bm25', 'dense', 'hybrid']) {
    const best = await search({ mode: first, k: 1 });
    const only = await search({ k: 1, rerank: { first, depth: 1 } });
    expect(only.body.hits[0].id, first).toBe(best.body.hits[0].id);
  }
});

test('what cannot be reranked is said', async () => {
  const refused: [object, number, string][] = [
    [{ rerank: { depth: 51 } }, 400, 'rerank.depth'],
    [{ rerank: { depth: 0 } }, 400, 'rerank.depth'],
    [{ rerank: { first: 'cascade' } }, 400, 'rerank.first'],
    [{ rerank: { over: 'bm25' } }, 400, 'over'],
    [{ mode: 'dense', rerank: { depth: 5 } }, 400, 'expected "mode": "cascade"'],
    [
      { query: undefined, queries: ['a', 'b'], k: 1, rerank: { depth: 31 } },
      400,
      'at most 60 hits to rerank',
    ],
  ];
  for (const [body, status, message] of refused) {
    const answer = await search(body);
    expect([answer.status, answer.body.error.message], message).toEqual([
      status,
      expect.stringContaining(message),
    ]);
  }
});
