import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startServe } from '../../test/web/serve-process.js';
import { openDataset } from '../data/open.js';
import { writeCollection } from './collection.fixture.js';
import { type ServeTargetOptions, serveTarget } from './serve-target.js';
import { ANIMALS, keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';
import { TrainingDesk } from './trainings/training-desk.js';

let folder: string;
const running: SearchServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-acting-'));
  await writeCollection(join(folder, 'many', 'animals'), ANIMALS);
  await writeCollection(join(folder, 'many', 'plants'), [
    {
      id: 'oak',
      title: 'Oak',
      text: 'a tall tree',
      metadata: { kind: 'tree', tags: ['wood', 'tall'], size: { m: 30 } },
    },
    { id: 'elm', text: '=a tree, too', metadata: { kind: 'tree', tags: ['wood'] } },
    { id: 'fern', text: 'grows in the shade', metadata: { kind: 'fern' } },
  ]);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
  await rm(folder, { recursive: true, force: true });
});

const plants = () => join(folder, 'many', 'plants');

async function start(target: string | string[], options: ServeTargetOptions = {}): Promise<SearchServer> {
  const server = await serveTarget(target, { log: keptLog(), search: { modes: ['bm25'] }, ...options });
  running.push(server);
  await server.listen(0);
  await server.start();
  return server;
}

test('facets count values, of documents added later too, and follow a filter', async () => {
  const server = await start(plants());
  const { body } = await send(server, 'GET', '/v1/facets');
  expect(body).toMatchObject({ documents: 3, more: false });
  expect(
    body.fields.map(({ field, values }: { field: string; values: object[] }) => [field, values]),
  ).toEqual([
    [
      'kind',
      [
        { value: 'tree', count: 2 },
        { value: 'fern', count: 1 },
      ],
    ],
    ['size.m', [{ value: 30, count: 1 }]],
    [
      'tags',
      [
        { value: 'wood', count: 2 },
        { value: 'tall', count: 1 },
      ],
    ],
  ]);
  await send(server, 'PUT', '/v1/documents/moss', { text: 'soft', metadata: { kind: 'moss', wet: true } });
  await send(server, 'DELETE', '/v1/documents/fern');
  const filter = encodeURIComponent(JSON.stringify({ kind: { $ne: 'tree' } }));
  const filtered = await send(server, 'GET', `/v1/facets?filter=${filter}`);
  expect(filtered.body.fields.map(({ field }: { field: string }) => field)).toEqual(['kind', 'wet']);
  expect(filtered.body.fields[0].values).toEqual([{ value: 'moss', count: 1 }]);
});

test('a misspelt field of a filter or of groups is refused with what was meant; one of an added document is known', async () => {
  const server = await start(plants());
  const search = (filter: object) => send(server, 'POST', '/v1/search', { query: 'tree', filter });
  expect(await search({ $or: [{ kind: 'tree' }, { knid: 'fern' }] })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('"knid"'), hint: 'did you mean kind?' } },
  });
  const groups = (groupBy: string) => send(server, 'POST', '/v1/search', { query: 'tree', groupBy });
  expect(await groups('knid')).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('"knid"'), hint: 'did you mean kind?' } },
  });
  expect((await groups('fil')).body.error.hint).toBe('did you mean file?');
  expect((await groups('kind')).status).toBe(200);
  expect((await search({ 'size.m': { $gte: 10 } })).body.hits).toHaveLength(1);
  expect((await search({ colour: 'green' })).status).toBe(400);
  await send(server, 'PUT', '/v1/documents/ivy', { text: 'tree', metadata: { colour: 'green' } });
  expect((await search({ colour: 'green' })).body.hits.map(({ id }: { id: string }) => id)).toEqual(['ivy']);
});

test('a search from an address, as JSON, as CSV that no spreadsheet runs, and as a TREC run', async () => {
  const server = await start(plants());
  const json = await send(server, 'GET', '/v1/search?q=the%20tree&k=2');
  expect(json.body.hits).toHaveLength(2);
  expect(json.body.hits[0].snippet.highlights).toHaveLength(1);
  const csv = await send(server, 'GET', '/v1/search?q=tree&format=csv');
  expect(csv.headers.get('content-type')).toContain('text/csv');
  expect(csv.body.split('\r\n')[0]).toBe('rank,id,score,title,snippet,kind,size,tags');
  expect(csv.body).toContain(`"'=a tree, too"`);
  const trec = await send(server, 'GET', '/v1/search?q=tree&format=trec');
  expect(trec.body.split('\n')[0]).toMatch(/^q-[0-9a-f]{12} Q0 (?:elm|oak) 1 [\d.]+ bm25$/);
  expect((await send(server, 'GET', '/v1/search?q=tree&filter=%7B')).status).toBe(400);
});

test('titles are marked, function words are not', async () => {
  const server = await start(plants());
  const { body } = await send(server, 'GET', '/v1/search?q=which%20oak%20is%20a%20tall%20tree');
  expect(body.hits[0]).toMatchObject({ id: 'oak', titleHighlights: [[0, 3]] });
  expect(body.hits[0].snippet.highlights).toEqual([
    [2, 6],
    [7, 11],
  ]);
});

test('judgments survive a killed server, and come out as qrels that a collection can have', async () => {
  const served = await startServe(plants());
  const judge = (document: string, grade: number) =>
    fetch(`${served.url}/v1/judgments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ judgments: [{ query: 'which tree', document, grade }] }),
    }).then(({ status }) => status);
  expect(await Promise.all([judge('oak', 1), judge('elm', 0), judge('nobody', 1)])).toEqual([200, 200, 404]);
  await served.kill();
  const server = await start(plants());
  const { body } = await send(server, 'GET', '/v1/judgments?query=which%20tree');
  expect(body).toMatchObject({ total: 2, queries: 1 });
  const qrels = (await send(server, 'GET', '/v1/judgments/qrels')).body as string;
  const queries = (await send(server, 'GET', '/v1/judgments/queries')).body as string;
  const { _id, text } = JSON.parse(queries);
  expect(text).toBe('which tree');
  expect(qrels.trim().split('\n').sort()).toEqual([
    `${_id}\telm\t0`,
    `${_id}\toak\t1`,
    'query-id\tcorpus-id\tscore',
  ]);
  const trec = (await send(server, 'GET', '/v1/judgments/qrels?format=trec')).body as string;
  expect(trec.trim().split('\n').sort()).toEqual([`${_id} 0 elm 0`, `${_id} 0 oak 1`]);
});

test('several collections, and a folder of them, each below its own path', async () => {
  const server = await start(join(folder, 'many'));
  const info = (path: string) => send(server, 'GET', `${path}/v1/info`);
  expect((await info('')).body).toMatchObject({
    name: 'animals',
    collections: [
      { name: 'animals', path: '' },
      { name: 'plants', path: '/collections/plants' },
    ],
  });
  expect((await info('/collections/plants')).body).toMatchObject({ name: 'plants', documents: 3 });
  expect((await info('/collections/stones')).status).toBe(404);
  const put = await send(server, 'PUT', '/collections/plants/v1/documents/ivy', { text: 'climbs the tree' });
  expect(put.body).toMatchObject({ created: true });
  expect((await send(server, 'GET', '/v1/documents/ivy')).status).toBe(404);
  const found = await send(server, 'GET', '/collections/plants/v1/search?q=climbs');
  expect(found.body.hits.map(({ id }: { id: string }) => id)).toEqual(['ivy']);
  const { body: spec } = await send(server, 'GET', '/openapi.json');
  expect(Object.keys(spec.paths).filter((path) => path.startsWith('/collections'))).toEqual([]);
});

test('examples are queries of the collection, else titles', async () => {
  const server = await start(plants());
  expect((await send(server, 'GET', '/v1/examples')).body).toEqual({ queries: [] });
  await writeCollection(join(folder, 'titled'), [
    { id: 'a', title: 'A title that is long enough', text: 'x' },
  ]);
  const titled = await start(join(folder, 'titled'));
  expect((await send(titled, 'GET', '/v1/examples')).body).toEqual({
    queries: ['A title that is long enough'],
  });
  await mkdir(join(folder, 'files'));
  await writeFile(
    join(folder, 'files', 'a.md'),
    '# Guide\n\nSome words.\n\n## Setting up a server\n\nMore words here.\n',
  );
  const files = await start(join(folder, 'files'));
  expect((await send(files, 'GET', '/v1/examples')).body).toEqual({ queries: ['Setting up a server'] });
  const asked = ['Setting up a server', 'Taking it down', 'Where logs go', 'Who may write', 'Ways to search'];
  const text = ['Synopsis', 'publishConfig', ...asked].map((title) => `## ${title}\n\nSome words here.\n`);
  await mkdir(join(folder, 'phrases'));
  await writeFile(join(folder, 'phrases', 'a.md'), text.join('\n'));
  const phrases = await start(join(folder, 'phrases'));
  expect((await send(phrases, 'GET', '/v1/examples')).body).toEqual({ queries: asked });
});

test('an adaptation that has too little to learn from says of what', async () => {
  const program = join(folder, 'adapt.mjs');
  const outcome = { adaptation: { verdict: 'too little', prepared: { tooLittle: '3 pairs could be made' } } };
  await writeFile(
    program,
    `const [, , ...args] = process.argv;
     if (args[0] !== 'adapt' || !args.includes('--json')) process.exit(1);
     console.log(JSON.stringify(${JSON.stringify(outcome)}, null, 2));`,
  );
  const desk = new TrainingDesk({
    data: plants(),
    runs: join(folder, 'runs'),
    program: [process.execPath, program],
  });
  await desk.adapt({ run: 'first' });
  await expect.poll(() => desk.newest?.state).toBe('finished');
  expect(desk.newest).toMatchObject({ kind: 'adapt', tooLittle: '3 pairs could be made' });
  await desk.close();
});

test('a training learns from documents that were added and from what was marked of them', async () => {
  const server = await start(plants());
  await send(server, 'POST', '/v1/documents', { documents: [{ id: 'yew', text: 'a tree that grows old' }] });
  const marks = [
    { query: 'old tree', document: 'yew', grade: 1 },
    { query: 'old tree', document: 'elm', grade: 0 },
  ];
  await send(server, 'POST', '/v1/judgments', { judgments: marks });
  await send(server, 'DELETE', '/v1/documents/elm');
  const { status, body } = await send(server, 'POST', '/v1/trainings', { run: 'grown', split: 'judged' });
  expect([status, body.run]).toEqual([200, 'grown']);
  await send(server, 'DELETE', '/v1/trainings/grown');
  const dataset = await openDataset(join(plants(), '.nearmiss', 'runs', 'grown-documents'));
  const ids: string[] = [];
  for await (const { id } of dataset.documents()) ids.push(id);
  expect(ids.sort()).toEqual(['fern', 'oak', 'yew']);
  const [[, judged]] = await dataset.qrels('judged');
  expect([...judged]).toEqual([['yew', 1]]);
});

test('an adaptation is judged by queries whose hits were marked, where they are enough', async () => {
  const server = await start(plants());
  const mark = (query: string, document: string, grade: number) => ({ query, document, grade });
  const asked = Array.from({ length: 50 }, (_, nth) => mark(`tree number ${nth}`, 'oak', 1));
  const judge = (judgments: unknown) => send(server, 'POST', '/v1/judgments', { judgments });
  await judge([...asked.slice(0, 49), mark('no tree', 'oak', 0), mark('gone', 'elm', 1)]);
  await send(server, 'DELETE', '/v1/documents/elm');
  const runs = join(plants(), '.nearmiss', 'runs');
  const adapt = async (run: string): Promise<boolean> => {
    const { status } = await send(server, 'POST', '/v1/trainings', { run, kind: 'adapt' });
    expect(status).toBe(200);
    await expect
      .poll(async () => (await send(server, 'GET', '/v1/trainings')).body.newest)
      .toMatchObject({ run, state: 'finished', tooLittle: expect.any(String) });
    return existsSync(join(runs, `${run}-questions.jsonl`));
  };
  expect(await adapt('few')).toBe(false);
  await judge(asked.slice(49));
  expect(await adapt('enough')).toBe(true);
  const lines = (await readFile(join(runs, 'enough-questions.jsonl'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).question)).toEqual(asked.map(({ query }) => query));
});

test('one training at a time, stopped as Ctrl-C would; what fails says why', async () => {
  const program = join(folder, 'train.mjs');
  await writeFile(
    program,
    `import { writeFileSync } from 'node:fs';
     const [, , ...args] = process.argv;
     if (args.includes('broken')) { console.error('nearmiss: no labels\\n  → add some; name them with --split'); process.exit(1); }
     process.on('SIGINT', () => { writeFileSync(${JSON.stringify(join(folder, 'args.json'))}, JSON.stringify(args)); process.exit(130); });
     setInterval(() => {}, 1000);
     writeFileSync(${JSON.stringify(join(folder, 'begun'))}, '');`,
  );
  const desk = new TrainingDesk({
    data: plants(),
    runs: join(folder, 'runs'),
    program: [process.execPath, program],
  });
  await desk.start({ run: 'first', recipe: 'ance-firstp', split: 'train' });
  await expect(desk.start({ run: 'second' })).rejects.toThrow('"first" is being trained already');
  expect(() => desk.stop('second')).toThrow('no training of "second"');
  await expect.poll(() => existsSync(join(folder, 'begun'))).toBe(true);
  desk.stop('first');
  await expect.poll(() => desk.newest?.state).toBe('stopped');
  const args = JSON.parse(await readFile(join(folder, 'args.json'), 'utf8'));
  expect(args.slice(0, 7)).toEqual([
    'train',
    '--data',
    plants(),
    '--recipe',
    'ance-firstp',
    '--split',
    'train',
  ]);
  await desk.start({ run: 'again', recipe: 'broken' });
  await expect.poll(() => desk.newest?.state).toBe('failed');
  expect(desk.newest?.problem).toBe('no labels\n  → add some');
  await desk.close();
  await expect(desk.start({ run: 'late' })).rejects.toThrow('stopping');
});
