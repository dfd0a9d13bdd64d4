import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { trainTinyRun, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { serveTarget } from './serve-target.js';
import { keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

const TOKENS =
  '{pooling: tokens, projection: 16, bias: false, queryMarker: false, documentMarker: false, fillQueries: 0}';

let folder: string;
let server: SearchServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-serve-late-'));
  await writeTinyData(folder);
  const run = await trainTinyRun(folder, 'late', [`model.head=${TOKENS}`]);
  server = await serveTarget(run.path, { log: keptLog(), search: { threads: 1 } });
  await server.listen(0);
  await server.start();
});
afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, body: unknown) => send(server, 'POST', path, body);

test('documents are reranked by the scores that a search gives', async () => {
  await post('/v1/documents', { documents: [{ id: 'added', text: 'something else' }] });
  const { body: found } = await post('/v1/search', { query: 'a question', k: 20, mode: 'dense' });
  const documents = found.hits.map(({ id }: { id: string }) => ({ id })).reverse();
  const { status, body } = await post('/v1/rerank', { query: 'a question', documents });
  expect(status).toBe(200);
  const scores = body.results.map((result: { relevance_score: number }) => result.relevance_score);
  expect(scores).toHaveLength(20);
  found.hits.forEach(({ score }: { score: number }, rank: number) => {
    expect(scores[rank]).toBeCloseTo(score, 4);
  });
});

test('what only single vectors have is refused by words', async () => {
  const { body } = await post('/v1/search', { query: 'a question', k: 1 });
  const refused = [
    await post('/v1/embeddings', { input: 'some words', input_type: 'document' }),
    await send(server, 'GET', `/v1/documents/${body.hits[0].id}/neighbours`),
    await send(server, 'GET', '/v1/documents/added/neighbours'),
  ];
  for (const { status, body } of refused) {
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      code: 'unavailable',
      message: 'the model makes several rows of a text, where a single vector is compared',
    });
  }
});
