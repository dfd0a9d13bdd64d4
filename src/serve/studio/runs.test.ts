import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { analyzeRuns } from '../../analyze/analyze.js';
import { writeReport } from '../../analyze/report/write-report.js';
import { shareWords, trainTinyRun, writeTinyData } from '../../analyze/tiny-run.fixture.js';
import { CandidateTable } from '../../negatives/index.js';
import { parseEvents } from '../../run/events.js';
import type { RunDirectory } from '../../run/run-directory.js';
import type { minedNegatives, runCurves, runDetails, runSummary, trainingQueries } from '../answers/runs.js';
import { errorBody, toApiError } from '../api-error.js';
import { RunCatalog } from '../collections/run-catalog.js';
import { runsRoutes } from './runs.js';

const CLI = resolve(import.meta.dirname, '../../../dist/cli/main.js');
let folder: string;
let run: RunDirectory;
let app: FastifyInstance;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-runs-'));
  await writeTinyData(folder);
  await shareWords(folder);
  await mkdir(join(folder, 'runs'));
  run = await trainTinyRun(folder, 'runs/done');
  await mkdir(join(folder, 'runs', 'broken'));
  await writeFile(join(folder, 'runs', 'broken', 'run.json'), '{');
  app = await serveRuns();
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

async function serveRuns(): Promise<FastifyInstance> {
  const server = Fastify();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler((error, _, reply) => {
    const known = toApiError(error);
    return reply.code(known.statusCode).send(errorBody(known));
  });
  await server.register(runsRoutes, { runs: new RunCatalog({ folder: join(folder, 'runs') }) });
  return server;
}

async function get<T>(url: string, status = 200): Promise<T> {
  const response = await app.inject({ url });
  expect(response.statusCode, response.body).toBe(status);
  return response.json<T>();
}

type Runs = { runs: z.infer<typeof runSummary>[]; unreadable: string[] };
type Details = z.infer<typeof runDetails>;
type Curves = z.infer<typeof runCurves>;
type Queries = z.infer<typeof trainingQueries>;
type Negatives = z.infer<typeof minedNegatives>;

describe('a finished run', () => {
  test('stands in the list, and one that cannot be read beside it', async () => {
    const { runs, unreadable } = await get<Runs>('/v1/runs');
    expect(runs).toEqual([
      {
        name: 'done',
        state: 'finished',
        step: 30,
        steps: 30,
        recipe: 'tiny',
        data: 'data',
        best: expect.objectContaining({ measure: 'RR@10' }),
        updatedAt: expect.stringMatching(/^20/),
      },
    ]);
    expect(unreadable).toEqual(['broken']);
  });

  test('tells its recipe, stages, checkpoints, evaluations, refreshes and processes', async () => {
    const details = await get<Details>('/v1/runs/done');
    expect(details).toMatchObject({ name: 'done', state: 'finished', seed: 42, split: 'train' });
    expect(details.stages).toMatchObject([
      { name: 'warmup', start: 0, end: 10, negatives: ['bm25'], loss: 'nll' },
      { name: 'ance', start: 10, end: 30, negatives: ['in-batch', 'ann'] },
    ]);
    expect(details.settings).toContainEqual({ path: 'stages.ance.steps', value: 20 });
    expect(details.checkpoints.at(-1)).toMatchObject({ step: 30, indexed: true, measured: true });
    expect(details.evaluations.map(({ step }) => step)).toEqual([0, 10, 20, 30]);
    expect(details.evaluations.filter(({ best }) => best)).toHaveLength(1);
    expect(details.refreshes.map(({ step }) => step)).toEqual([10, 20]);
    expect(details.processes.trainer).toMatchObject({ state: 'finished', threads: 1 });
    expect(details.secondsLeft).toBeUndefined();
    expect(details.indexAge).toBe(9);
    expect(details.measuredSources).toBeUndefined();
  });

  test('what `analyze` measured of its sources is shown', async () => {
    const analysis = await analyzeRuns({
      runs: [run.path],
      sections: ['gradients'],
      queries: 10,
      threads: 1,
      quiet: true,
    });
    await writeReport(run.file('report'), analysis);
    const { measuredSources } = await get<Details>('/v1/runs/done');
    expect(measuredSources?.step).toBe(30);
    expect(measuredSources?.sources.map(({ source }) => source)).toContain('in-batch');
  });

  test('its curves are what its events say', async () => {
    const curves = await get<Curves>('/v1/runs/done/curves');
    const events = parseEvents(await readFile(run.file('events', 'trainer.jsonl'), 'utf8'));
    const steps = events.filter((event) => event.type === 'step');
    expect(curves.loss.y).toEqual(steps.map(({ loss }) => Number(loss.toPrecision(6))));
    expect(curves.loss.x).toEqual(steps.map(({ step }) => step));
    expect(curves.negativesVersion).toEqual({ x: [10, 19, 20, 29], y: [10, 10, 20, 20] });
    expect(Object.keys(curves.sourceNorms)).toEqual(['bm25', 'in-batch', 'ann']);
    expect(curves.sourceNorms.ann.x).toEqual([10, 15, 20, 25]);
    expect(curves.replaced.x).toEqual([20]);
    expect(curves.refreshSeconds.encode.x).toEqual([10, 20]);
    expect(curves.documentsPerSecond.y.every((speed) => speed > 0)).toBe(true);
  });

  test('curves are sent again only when there are new events', async () => {
    const url = '/v1/runs/done/curves';
    const first = await app.inject({ url });
    const again = await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
    const note = JSON.stringify({
      time: new Date().toISOString(),
      type: 'log',
      level: 'info',
      message: 'hello',
    });
    await appendFile(run.file('events', 'trainer.jsonl'), `${note}\n`);
    const changed = await app.inject({ url, headers: { 'if-none-match': String(first.headers.etag) } });
    expect(changed.statusCode).toBe(200);
    expect(changed.headers.etag).not.toBe(first.headers.etag);
  });

  test('names that are no runs lead nowhere', async () => {
    const names = [
      'nothing',
      '..',
      '%2e%2e',
      '..%2Fruns%2Fdone',
      'done%2F..%2Fdone',
      '.',
      '%00',
      'done%00',
      '/etc',
    ];
    for (const name of names) {
      for (const rest of ['', '/curves', '/queries', '/negatives?query=q0-0']) {
        const response = await app.inject({ url: `/v1/runs/${name}${rest}` });
        expect([400, 404], `${name}${rest}`).toContain(response.statusCode);
        expect(response.body).not.toContain(folder);
      }
    }
  });
});

describe('negatives', () => {
  test('training queries come by words and in pages', async () => {
    const all = await get<Queries>('/v1/runs/done/queries?limit=200');
    expect(all.more).toBe(false);
    const page = await get<Queries>('/v1/runs/done/queries?limit=5&offset=3');
    expect(page).toEqual({ queries: all.queries.slice(3, 8), more: true });
    const { id, text } = all.queries[7];
    const [first, , last] = text.split(' ');
    const found = await get<Queries>(`/v1/runs/done/queries?text=${first.toUpperCase()}%20${last.slice(1)}`);
    expect(found.queries).toContainEqual({ id, text });
    expect(found.queries.length).toBeLessThan(all.queries.length);
    expect((await get<Queries>('/v1/runs/done/queries?text=zzz')).queries).toEqual([]);
  });

  test('of a query are those of the table, with their documents and what came before', async () => {
    const { queries } = await get<Queries>('/v1/runs/done/queries?limit=200');
    const place = 11;
    const { id } = queries[place];
    const shown = await get<Negatives>(`/v1/runs/done/negatives?query=${id}&limit=200`);
    expect(shown.tables).toEqual([
      { name: 'step-000020', step: 20 },
      { name: 'step-000010', step: 10 },
      { name: expect.stringMatching(/^bm25-[0-9a-f]{8}$/) },
    ]);
    expect(shown.provenance).toMatchObject({
      name: 'step-000020',
      source: 'ann',
      checkpoint: 20,
      previous: 10,
      depth: 20,
    });
    expect(shown.query).toEqual(queries[place]);
    expect(shown.positives.map((document) => document.id)).toEqual([id.replace('q', 'd')]);

    const corpus = (await readFile(join(folder, 'data', 'corpus.jsonl'), 'utf8')).trim().split('\n');
    const [now, before] = await Promise.all(
      [20, 10].map((step) => CandidateTable.load(run.stepPath('negatives', step))),
    );
    const row = now.row(place);
    const earlier = new Set(before.row(place).ids);
    expect(shown.count).toBe(row.ids.length);
    expect(shown.negatives).toEqual(
      Array.from(row.ids, (number, i) => {
        const { _id, text } = JSON.parse(corpus[number]);
        const { [i]: rank } = row.ranks;
        return { rank, score: row.scores[i], document: { id: _id, text }, wasCandidate: earlier.has(number) };
      }),
    );
    const ranks = [...shown.negatives.map(({ rank }) => rank), ...shown.removedRanks].sort((a, b) => a - b);
    expect(ranks).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  test('pages and other tables', async () => {
    const { queries } = await get<Queries>('/v1/runs/done/queries?limit=1');
    const url = `/v1/runs/done/negatives?query=${queries[0].id}`;
    const all = await get<Negatives>(url);
    const page = await get<Negatives>(`${url}&offset=2&limit=3`);
    expect(page.negatives).toEqual(all.negatives.slice(2, 5));
    const { name } = all.tables.at(-1)!;
    const words = await get<Negatives>(`${url}&table=${name}`);
    expect(words.provenance).toMatchObject({ name, source: 'bm25' });
    expect(words.provenance.checkpoint).toBeUndefined();
    expect(words.negatives.every(({ wasCandidate }) => wasCandidate === undefined)).toBe(true);
  });

  test('unknown queries and tables, and bad parameters, are refused', async () => {
    const url = '/v1/runs/done/negatives';
    const { error } = await get<{ error: { message: string; hint: string } }>(`${url}?query=nobody`, 404);
    expect(error.message).toBe('"nobody" is no training query of "done"');
    await get(`${url}?query=q0-0&table=..%2F..%2Fcheckpoints`, 404);
    await get(`${url}?query=q0-0&limit=100000`, 400);
    await get(url, 400);
  });

  test('a collection that has changed since is said to have', async () => {
    const { queries } = await get<Queries>('/v1/runs/done/queries?limit=1');
    const url = `/v1/runs/done/negatives?query=${queries[0].id}`;
    const corpus = join(folder, 'data', 'corpus.jsonl');
    const before = await readFile(corpus);
    await appendFile(corpus, `${JSON.stringify({ _id: 'new', text: 'one more' })}\n`);
    const other = await serveRuns();
    const refused = await other.inject({ url });
    expect(refused.statusCode).toBe(409);
    expect(refused.json().error.message).toContain('196 documents, but the collection now has');
    await writeFile(corpus, before);
    expect((await other.inject({ url })).statusCode).toBe(200);
    await other.close();
  });
});

describe('a run that is going on', () => {
  let child: ChildProcess;
  beforeAll(async () => {
    const set = ['stages.ance.steps=5000', 'refresh.mode=async', 'checkpoint.every=20'].flatMap((value) => [
      '--set',
      value,
    ]);
    const arguments_ = [
      'train',
      '--data',
      join(folder, 'data'),
      '--recipe',
      'tiny',
      '--out',
      join(folder, 'runs', 'live'),
    ];
    child = spawn(
      process.execPath,
      [CLI, ...arguments_, ...set, '--trainer-threads', '1', '--inferencer-threads', '1'],
      {
        stdio: 'ignore',
      },
    );
    await until(async () => (await refreshesOf('live')) >= 2);
  });
  afterAll(async () => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  test('is running, with both processes and the time that is left; then stopped', async () => {
    const details = await get<Details>('/v1/runs/live');
    expect(details).toMatchObject({ state: 'running', steps: 5010 });
    expect(details.processes.trainer).toMatchObject({ state: 'running', pid: expect.any(Number) });
    expect(details.processes.inferencer).toMatchObject({ state: 'running', threads: 1 });
    expect(details.secondsLeft).toBeGreaterThan(0);
    expect(details.settings).toContainEqual({ path: 'stages.ance.steps', value: 5000, origin: '--set' });

    const before = await get<Curves>('/v1/runs/live/curves');
    await until(async () => (await get<Curves>('/v1/runs/live/curves')).steps > before.steps);
    const after = await get<Curves>('/v1/runs/live/curves');
    expect(after.version).not.toBe(before.version);

    child.kill('SIGINT');
    await once(child, 'exit');
    const stopped = await get<Details>('/v1/runs/live');
    expect(stopped).toMatchObject({ state: 'stopped', processes: { trainer: { state: 'stopped' } } });
    expect(stopped.secondsLeft).toBeUndefined();
    const { runs } = await get<Runs>('/v1/runs');
    expect(runs.find(({ name }) => name === 'live')).toMatchObject({ state: 'stopped', step: stopped.step });
  });
});

async function refreshesOf(name: string): Promise<number> {
  const response = await app.inject({ url: `/v1/runs/${name}` });
  return response.statusCode === 200 ? response.json<Details>().refreshes.length : 0;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(100);
}
