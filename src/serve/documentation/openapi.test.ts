import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSearchFixture, type SearchFixture } from '../../search/search.fixture.js';
import { serveTarget } from '../serve-target.js';
import { keptLog, send } from '../server.fixture.js';
import type { SearchServer } from '../server.js';

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

let fixture: SearchFixture;
let server: SearchServer;
let trainingQuery: string;
let paths: Record<string, Record<string, Operation>>;
let ajv: Ajv2020;

beforeAll(async () => {
  fixture = await makeSearchFixture();
  server = await serveTarget(fixture.run, {
    log: keptLog(),
    search: { threads: 1, reranker: fixture.reranker, rerankDepth: 5 },
  });
  await server.listen(0);
  await server.start();
  trainingQuery = (await send(server, 'GET', '/v1/runs/run/queries?limit=1')).body.queries[0].id;
  const { body: spec } = await send(server, 'GET', '/openapi.json');
  paths = spec.paths;
  // OpenAPI has formats and words of its own.
  ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'api', ...spec });
});

afterAll(async () => {
  await server?.close();
  await fixture?.remove();
});

/** A request, the route it is for, and the status it gets; what is still computed is asked for again. */
type Case = [status: number, method: string, route: string, path?: string, body?: object];

function cases(): Case[] {
  const { id, text } = fixture.documents[3];
  const query = fixture.queries[0].id;
  const search = (status: number, body: object): Case => [status, 'post', '/v1/search', undefined, body];
  const post = (status: number, route: string, body: object): Case => [
    status,
    'post',
    route,
    undefined,
    body,
  ];
  const run = (rest: string, parameters = ''): Case => [
    200,
    'get',
    `/v1/runs/{run}${rest}`,
    `/v1/runs/run${rest}${parameters}`,
  ];
  return [
    search(200, { query: text, mode: 'bm25', explain: true }),
    search(200, { query: text, mode: 'hybrid', explain: true, k: 200 }),
    search(200, { queries: [text, 'nothing of it'], mode: 'dense' }),
    search(200, { query: text, mode: 'cascade', explain: true, rerank: { first: 'bm25', depth: 3 } }),
    search(400, {}),
    [200, 'get', '/v1/status'],
    [200, 'get', '/v1/search', `/v1/search?q=${encodeURIComponent(text)}&k=3`],
    [200, 'get', '/v1/search', `/v1/search?q=${encodeURIComponent(text)}&format=csv`],
    [200, 'get', '/v1/search', `/v1/search?q=${encodeURIComponent(text)}&format=trec`],
    [400, 'get', '/v1/search', '/v1/search'],
    [200, 'get', '/v1/facets'],
    [200, 'get', '/v1/examples'],
    post(200, '/v1/judgments', { judgments: [{ query: text, document: id, grade: 1 }] }),
    [200, 'get', '/v1/judgments'],
    [200, 'get', '/v1/judgments/qrels', '/v1/judgments/qrels?format=trec'],
    [200, 'get', '/v1/judgments/queries'],
    [200, 'get', '/v1/trainings'],
    post(400, '/v1/trainings', { run: '../elsewhere' }),
    post(200, '/v1/negatives/preview', { skipRanks: 1, relativeMargin: 0.9, show: 3 }),
    post(422, '/v1/negatives/preview', { split: 'none' }),
    [404, 'delete', '/v1/trainings/{run}', '/v1/trainings/none'],
    [404, 'put', '/v1/model', undefined, { run: 'none' }],
    [409, 'delete', '/v1/model'],
    [200, 'get', '/v1/documents/{id}', `/v1/documents/${id}`],
    [404, 'get', '/v1/documents/{id}', '/v1/documents/none'],
    [200, 'get', '/v1/documents/{id}/neighbours', `/v1/documents/${id}/neighbours`],
    post(200, '/v1/documents', { documents: [{ id: 'new', text: 'new', metadata: { a: [1] } }] }),
    [200, 'put', '/v1/documents/{id}', '/v1/documents/new', { title: 'New', text: 'newer' }],
    [200, 'delete', '/v1/documents/{id}', '/v1/documents/new'],
    post(200, '/v1/files', { files: [{ path: 'a.md', text: '# A\n\nSome words.' }] }),
    post(400, '/v1/files', { files: [{ path: '../a.md', text: 'x' }] }),
    post(400, '/v1/files', { files: [{ path: 'deep.html', text: '<p><b>'.repeat(3000) }] }),
    [200, 'post', '/v1/files/read', '/v1/files/read?path=a.csv', Buffer.from('id,text\n1,one\n')],
    [400, 'post', '/v1/files/read', '/v1/files/read?path=a.csv', { text: 'no bytes' }],
    post(200, '/v1/embeddings', { input: text }),
    post(200, '/v1/embeddings', { input: [text, 'b'], encoding_format: 'base64' }),
    post(200, '/v1/rerank', { query: 'a', documents: [text, { id }] }),
    post(200, '/v2/rerank', { query: 'a', documents: [text, { id }], return_documents: true }),
    [200, 'get', '/v1/models'],
    [200, 'get', '/v1/models/{id}', '/v1/models/nearmiss'],
    [200, 'get', '/v1/info'],
    [200, 'get', '/v1/health'],
    [200, 'post', '/v1/admin/reload'],
    [200, 'get', '/metrics'],
    [200, 'get', '/v1/runs'],
    run(''),
    [404, 'get', '/v1/runs/{run}', '/v1/runs/none'],
    run('/curves'),
    run('/search', '?q=word&k=3'),
    run('/queries'),
    run('/negatives', `?query=${trainingQuery}`),
    run('/space/queries'),
    run('/space', `?query=${query}`),
    run('/quality'),
    run('/quality/cases', `?query=${query}`),
  ];
}

test('answers are as /openapi.json describes them', async () => {
  for (const [status, method, route, path = route, body] of cases()) {
    const answer = await whenReady(method, path, body);
    const name = `${method} ${path}`;
    expect([name, answer.status], JSON.stringify(answer.body)).toEqual([name, status]);
    expect([name, problems(answer, paths[route][method])]).toEqual([name, []]);
  }
});

test('every route that is described is asked above', () => {
  const described = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method} ${route}`),
  );
  const asked = new Set(cases().map(([, method, route]) => `${method} ${route}`));
  expect(described.filter((name) => !asked.has(name))).toEqual([]);
});

type Answer = Awaited<ReturnType<typeof send>>;

async function whenReady(method: string, path: string, body: object | undefined): Promise<Answer> {
  for (;;) {
    const answer = await send(server, method.toUpperCase(), path, body);
    if (answer.status !== 202) return answer;
    await sleep(100);
  }
}

/** What an answer has that its description does not, and the other way round. */
function problems({ status, headers, body }: Answer, { responses }: Operation): unknown[] {
  const described = responses[status] ?? responses[`${String(status)[0]}XX`];
  const [type] = (headers.get('content-type') ?? '').split(';');
  const schema = described?.content?.[type]?.schema;
  if (schema === undefined) return [`${status} with ${type} is not described`];
  const global = JSON.stringify(schema).replaceAll('"#/', '"api#/');
  const validate = ajv.compile(JSON.parse(global));
  return validate(body) ? [] : (validate.errors ?? []);
}
