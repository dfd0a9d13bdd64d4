import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trainTinyRun, writeTinyData } from '../analyze/tiny-run.fixture.js';
import { serveTarget } from './serve-target.js';
import { keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

let folder: string;
let server: SearchServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-dense-'));
  await writeTinyData(folder);
  await trainTinyRun(folder, 'runs/tiny');
  server = await serveTarget(join(folder, 'runs/tiny'), {
    log: keptLog(),
    runs: join(folder, 'runs'),
    search: { threads: 1 },
  });
  await server.listen(0);
  await server.start();
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, body: unknown) => send(server, 'POST', path, body);

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}

async function embed(input: string | string[], inputType: 'query' | 'document'): Promise<number[][]> {
  const { body } = await post('/v1/embeddings', { input, input_type: inputType });
  return body.data.map(({ embedding }: { embedding: number[] }) => embedding);
}

describe('a run that is served', () => {
  test('says what it is', async () => {
    const { body } = await send(server, 'GET', '/v1/info');
    expect(body).toMatchObject({
      name: 'tiny',
      documents: 196,
      modes: ['bm25', 'dense', 'hybrid'],
      defaultMode: 'dense',
      model: { dimension: expect.any(Number) },
      runs: ['tiny'],
    });
    expect((await send(server, 'GET', '/v1/runs')).body.runs[0]).toMatchObject({
      name: 'tiny',
      state: 'finished',
    });
  });

  test('dense scores are what the vectors of /v1/embeddings give', async () => {
    const [first, second] = await someTexts();
    const [query] = await embed(first.text, 'query');
    const { body } = await post('/v1/search', { query: first.text, mode: 'dense', k: 196 });
    const scores = new Map<string, number>(
      body.hits.map(({ id, score }: { id: string; score: number }) => [id, score]),
    );
    const vectors = await embed([first.text, second.text], 'document');
    expect(scores.get(first.id)).toBeCloseTo(dot(query, vectors[0]), 4);
    expect(scores.get(second.id)).toBeCloseTo(dot(query, vectors[1]), 4);
  });

  test('vectors as base64 are the same numbers', async () => {
    const [plain] = await embed('some words', 'query');
    const { body } = await post('/v1/embeddings', { input: ['some words'], encoding_format: 'base64' });
    const bytes = Buffer.from(body.data[0].embedding, 'base64');
    const numbers = Array.from({ length: plain.length }, (_, i) => bytes.readFloatLE(i * 4));
    expect(numbers).toEqual(plain);
    const { body: info } = await send(server, 'GET', '/v1/info');
    expect(body).toMatchObject({ object: 'list', model: info.model.name });
    expect((await post('/v1/embeddings', { input: 'a', model: info.model.name })).status).toBe(200);
    const { dimension } = info.model;
    expect((await post('/v1/embeddings', { input: 'a', dimensions: dimension })).status).toBe(200);
    const short = await post('/v1/embeddings', { input: 'a', dimensions: dimension - 1 });
    expect([short.status, short.body.error.message]).toEqual([
      400,
      expect.stringContaining(`expected ${dimension}`),
    ]);
    const wrong = await post('/v1/embeddings', { input: 'a', model: 'another' });
    expect([wrong.status, wrong.body.error.hint]).toEqual([
      404,
      `leave "model" out, or ask for one of "${info.model.name}", "${info.name}", "nearmiss"`,
    ]);
  });

  test('the names that /v1/models lists are taken where a model is named', async () => {
    const { body } = await send(server, 'GET', '/v1/models');
    const names = body.data.map(({ id }: { id: string }) => id);
    expect(names).toContain('nearmiss');
    for (const model of names) {
      expect((await send(server, 'GET', `/v1/models/${encodeURIComponent(model)}`)).body.id).toBe(model);
      expect((await post('/v1/embeddings', { input: 'a', model })).status).toBe(200);
      expect((await post('/v2/rerank', { query: 'a', documents: ['b'], model })).status).toBe(200);
    }
    expect((await send(server, 'GET', '/v1/models/another')).status).toBe(404);
  });

  test.each([
    [{ input: [1, 2, 3] }, 'expected texts, not tokens'],
    [{ input: [[1, 2], [3]] }, 'expected texts, not tokens'],
    [{ input: new Array(1001).fill('a') }, 'field "input": expected at most 1000 texts in one request'],
    [{ input: new Array(1_000_000).fill(1) }, 'expected at most 1000 texts'],
    [{ input: 'a', inputs: 'b' }, 'body: unknown field "inputs"'],
  ])('what clients of OpenAI send and is not taken is told: %#', async (body, message) => {
    const answer = await post('/v1/embeddings', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toContain(message);
  });

  test('what clients of Cohere send is taken, and what is not known is told', async () => {
    const documents = ['one', { text: 'two' }, 'three'];
    const { status, body } = await post('/v2/rerank', {
      ...{ query: 'two', documents, top_n: 2, return_documents: true, model: 'nearmiss' },
    });
    expect(status).toBe(200);
    expect(body.results).toHaveLength(2);
    for (const { index, document } of body.results) {
      expect(document.text).toBe(['one', 'two', 'three'][index]);
    }
    expect(await post('/v2/rerank', { query: 'two', documents, rank_fields: ['a'] })).toMatchObject({
      status: 400,
      body: { error: { message: 'body: unknown field "rank_fields"' } },
    });
  });

  test('neighbours of a document are the nearest others', async () => {
    const [first] = await someTexts();
    const { body } = await send(server, 'GET', `/v1/documents/${first.id}/neighbours?k=3`);
    expect(body.hits).toHaveLength(3);
    expect(body.hits.map(({ id }: { id: string }) => id)).not.toContain(first.id);
    const [own] = await embed(first.text, 'document');
    const nearest = await send(server, 'GET', `/v1/documents/${body.hits[0].id}`);
    const [other] = await embed(nearest.body.text, 'document');
    expect(body.hits[0].score).toBeCloseTo(dot(own, other), 4);
    expect((await send(server, 'GET', '/v1/documents/none/neighbours')).status).toBe(404);
  });

  test('reranking without a cross-encoder goes by the vectors, texts and ids alike', async () => {
    const [first, second] = await someTexts();
    const [query] = await embed('a question', 'query');
    const vectors = await embed([first.text, second.text], 'document');
    const { body } = await post('/v1/rerank', {
      query: 'a question',
      documents: [first.text, { id: second.id }, { text: first.text }],
    });
    const byIndex = new Map<number, number>(
      body.results.map((result: { index: number; relevance_score: number }) => [
        result.index,
        result.relevance_score,
      ]),
    );
    expect(byIndex.get(0)).toBeCloseTo(dot(query, vectors[0]), 4);
    expect(byIndex.get(1)).toBeCloseTo(dot(query, vectors[1]), 4);
    expect(byIndex.get(2)).toBe(byIndex.get(0));
    const order = body.results.map((result: { relevance_score: number }) => result.relevance_score);
    expect(order).toEqual([...order].sort((a, b) => b - a));
    const top = await post('/v1/rerank', { query: 'q', documents: ['a', 'b', 'c'], top_n: 1 });
    expect(top.body.results).toHaveLength(1);
    const missing = await post('/v1/rerank', { query: 'q', documents: [{ id: 'none' }] });
    expect([missing.status, missing.body.error.message]).toEqual([
      400,
      'documents[0]: there is no document "none"',
    ]);
  });

  test('a document that is added is found in every mode at once, and not after it is removed', async () => {
    const text = 'zebra unicorn';
    const before = (await send(server, 'GET', '/v1/info')).body;
    const put = await send(server, 'PUT', '/v1/documents/zebra', { text, metadata: { kind: 'new' } });
    expect(put.body).toEqual({
      version: expect.not.stringMatching(`^${before.version}$`),
      id: 'zebra',
      created: true,
    });
    for (const mode of before.modes) {
      const { body } = await post('/v1/search', {
        query: text,
        mode,
        filter: { kind: 'new' },
        explain: true,
      });
      expect(
        body.hits.map(({ id }: { id: string }) => id),
        mode,
      ).toEqual(['zebra']);
      expect(body.version).toBe(put.body.version);
      expect(body.hits[0].parts.length).toBeGreaterThan(0);
    }
    await send(server, 'PUT', '/v1/documents/okapi', { text: 'okapi', metadata: { kind: 'new' } });
    expect((await send(server, 'DELETE', '/v1/documents/zebra')).status).toBe(200);
    expect((await send(server, 'DELETE', '/v1/documents/zebra')).status).toBe(404);
    for (const mode of before.modes) {
      const { body } = await post('/v1/search', { query: `${text} okapi`, mode, filter: { kind: 'new' } });
      expect(
        body.hits.map(({ id }: { id: string }) => id),
        mode,
      ).toEqual(['okapi']);
    }
    // As clients do that say JSON of every request.
    const json = { 'content-type': 'application/json' };
    expect((await send(server, 'DELETE', '/v1/documents/okapi', undefined, json)).status).toBe(200);
    expect((await send(server, 'PUT', '/v1/documents/okapi', undefined, json)).status).toBe(400);
    const gone = await post('/v1/search', { query: text, filter: { kind: 'new' } });
    expect([gone.status, gone.body.error.message]).toEqual([400, expect.stringContaining('"kind"')]);
    const after = (await post('/v1/search', { query: text })).body.hits.map(({ id }: { id: string }) => id);
    expect(after).not.toContain('zebra');
  });
});

/** Two documents of the collection. */
async function someTexts(): Promise<{ id: string; text: string }[]> {
  const { body } = await post('/v1/search', { query: 'anything', mode: 'dense', k: 2 });
  return Promise.all(
    body.hits.map(async ({ id }: { id: string }) => (await send(server, 'GET', `/v1/documents/${id}`)).body),
  );
}
