import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { measureQuality } from '../../analyze/quality/measure.js';
import { keepQuality } from '../../analyze/quality/quality-files.js';
import { shareWords, startTinyRun, trainTinyRun, writeTinyData } from '../../analyze/tiny-run.fixture.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { computing, foundQueries, quality, qualityCase, spacePicture } from '../answers/studies.js';
import { createApp } from '../app.js';
import { RunCatalog } from '../collections/run-catalog.js';
import { DEFAULT_LIMITS } from '../limits.js';
import { qualityRoutes } from './quality.js';
import { spaceRoutes } from './space.js';
import { StudyDesk, type StudyTools } from './study-desk.js';

let folder: string;
let run: RunDirectory;
let app: FastifyInstance;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-study-'));
  await writeTinyData(folder);
  await shareWords(folder);
  run = await trainTinyRun(folder, 'run');
  await startTinyRun(folder, 'begun');
  app = await openApp({ folder });
});
afterAll(async () => {
  await app?.close();
  await rm(folder, { recursive: true, force: true });
});

async function openApp(shown: { folder?: string; run?: string; data?: string }): Promise<FastifyInstance> {
  const opened = createApp({ limits: DEFAULT_LIMITS, logLevel: 'silent' });
  const runs = new RunCatalog(shown);
  await opened.register(spaceRoutes, { runs });
  await opened.register(qualityRoutes, { runs });
  return opened;
}

/** Of what the answers hold, what these tests look at without a schema. */
interface Body {
  error: { code: string; message: string; hint: string };
  split: string;
  lists: { model: unknown[] };
}

async function get(url: string): Promise<{ status: number; body: Body }> {
  const { statusCode, body } = await app.inject({ url });
  return { status: statusCode, body: JSON.parse(body) };
}

/** Asks until there is a result, as the pages do. */
async function whenReady(url: string): Promise<Body> {
  for (;;) {
    const { status, body } = await get(url);
    if (status !== 202) return body;
    computing.parse(body);
    await sleep(100);
  }
}

describe('quality', () => {
  test('is computed once in a worker, then there at once; cases are found by their query', async () => {
    const url = '/v1/runs/run/quality';
    const found = quality.parse(await whenReady(url));
    expect(found.systems.map(({ name }) => name)).toEqual(['bm25', 'start', 'model', 'hybrid']);
    expect([...found.splits].sort()).toEqual(['dev', 'train']);
    const { status, body } = await get(url);
    expect(status).toBe(200);
    expect(quality.parse(body)).toEqual(found);
    const { id, text } = found.queries[0];
    const one = await get(`${url}/cases?query=${id}`);
    expect(qualityCase.parse(one.body)).toMatchObject({ id, text });
    expect(one.body.lists.model).toHaveLength(10);
  });

  test('what training began with is measured when it is asked for, where it was left out', async () => {
    // As a collection leaves it that is too large to be encoded unasked.
    const whole = await measureQuality({ run: run.path, split: 'train' });
    const systems = whole.systems.filter(({ name }) => name !== 'start');
    await keepQuality(run, { ...whole, systems }, []);
    const names = async (asked: string) =>
      quality
        .parse(await whenReady(`/v1/runs/run/quality?split=train${asked}`))
        .systems.map(({ name }) => name);
    expect(await names('')).toEqual(['bm25', 'model', 'hybrid']);
    expect(await names('&start=true')).toEqual(['bm25', 'start', 'model', 'hybrid']);
    expect(await names('')).toEqual(['bm25', 'start', 'model', 'hybrid']);
  });

  test('says what is not there', async () => {
    expect(await whenReady('/v1/runs/run/quality?split=nope')).toMatchObject({
      error: { code: 'not_found', message: 'data: no split "nope"' },
    });
    const other = await get('/v1/runs/run/quality/cases?query=nobody');
    expect(other.status).toBe(404);
    expect(other.body.error.message).toBe('"nobody" was not measured in "run"');
  });
});

describe('space', () => {
  test('of a query that is drawn, and of one that is named', async () => {
    const drawn = spacePicture.parse(await whenReady('/v1/runs/run/space'));
    expect(drawn.query.splits).toEqual(['dev']);
    expect(drawn.maps).toHaveLength(2);
    const again = await get(`/v1/runs/run/space?query=${drawn.query.id}`);
    expect(again.status).toBe(200);
    expect(spacePicture.parse(again.body)).toEqual(drawn);
    const newest = await whenReady(`/v1/runs/run/space?query=${drawn.query.id}&method=umap&step=newest`);
    expect(newest).toMatchObject({ state: 'ready', method: 'umap', step: (await run.steps('index')).at(-1) });
  });

  test('queries of any split are found by their words', async () => {
    const all = foundQueries.parse((await get('/v1/runs/run/space/queries?split=train&limit=3')).body);
    expect(all).toMatchObject({ split: 'train', more: true });
    expect(all.queries).toHaveLength(3);
    const [{ id, text }] = all.queries;
    const found = foundQueries.parse(
      (await get(`/v1/runs/run/space/queries?split=train&text=${encodeURIComponent(text.toUpperCase())}`))
        .body,
    );
    expect(found.queries).toContainEqual({ id, text });
    expect(found.queries.every((query) => text.split(' ').every((word) => query.text.includes(word)))).toBe(
      true,
    );
    expect((await get('/v1/runs/run/space/queries')).body.split).toBe('dev');
  });

  test('says what is not there', async () => {
    expect(await whenReady('/v1/runs/run/space?query=nobody')).toMatchObject({
      error: { code: 'not_found', message: 'data: no query "nobody"' },
    });
    expect((await get('/v1/runs/run/space?step=7')).body.error.message).toBe('run: no index of step 7');
    expect((await get('/v1/runs/begun/space')).body.error.hint).toContain('wait until the Inferencer');
    expect((await get('/v1/runs/run/space/queries?split=nope')).status).toBe(404);
  });
});

test('unknown runs, paths out of the folder and wrong values are refused', async () => {
  for (const name of ['nope', '..%2Frun', '..', '%2e%2e%2fdata', 'data', '.hidden']) {
    for (const part of ['space', 'quality', 'quality/cases?query=x', 'space/queries']) {
      expect((await get(`/v1/runs/${name}/${part}`)).status).toBe(404);
    }
  }
  for (const wrong of [
    'space?method=pca',
    'space?step=-1',
    'space?step=x',
    'quality?step=1.5',
    'quality?a=b',
  ]) {
    expect((await get(`/v1/runs/run/${wrong}`)).status).toBe(400);
  }
});

test('a run whose collection has gone is told without naming files, and found where the server has it', async () => {
  await rename(join(folder, 'data'), join(folder, 'moved'));
  try {
    for (const part of ['space?query=q0-1', 'quality?split=train', 'space/queries']) {
      const body = await whenReady(`/v1/runs/run/${part}`);
      expect(body.error.code).toBe('unavailable');
      expect(JSON.stringify(body)).not.toContain(folder);
    }
    await app.close();
    app = await openApp({ run: run.path, data: join(folder, 'moved') });
    for (const part of ['space?query=q0-1', 'quality?split=train', 'space/queries']) {
      expect(await whenReady(`/v1/runs/run/${part}`)).not.toHaveProperty('error');
    }
  } finally {
    await rename(join(folder, 'moved'), join(folder, 'data'));
  }
});

describe('the desk', () => {
  test('what nobody asks for any more is given up, and its place is free', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const desk = new StudyDesk({ patienceMs: 1, unaskedMs: 500 });
    let ended = 0;
    const endless = ({ signal }: StudyTools): Promise<never> =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          ended++;
          reject(new Error('ended'));
        }),
      );
    for (let i = 0; i < 8; i++) await desk.ask(`page ${i}`, endless);
    await expect(desk.ask('ninth', async () => 9)).rejects.toMatchObject({ statusCode: 503 });
    await vi.advanceTimersByTimeAsync(501);
    expect(await desk.ask('ninth', async () => 9)).toEqual({ state: 'ready', value: 9 });
    expect(ended).toBeGreaterThan(0);
  });

  test('what has ended has left its place, whether anybody came back for it or not', async () => {
    const desk = new StudyDesk({ patienceMs: 1 });
    const ends: (() => void)[] = [];
    const work = (): Promise<number> => new Promise((done) => ends.push(() => done(1)));
    for (let i = 0; i < 8; i++) await desk.ask(`page ${i}`, work);
    for (let i = 0; i < 8; i++) {
      await expect.poll(() => ends).toHaveLength(i + 1);
      ends[i]();
    }
    await setImmediate();
    expect(await desk.ask('ninth', work)).toMatchObject({ state: 'computing' });
    ends[8]();
    expect(await desk.ask('page 3', () => Promise.reject(new Error('was done')))).toEqual({
      state: 'ready',
      value: 1,
    });
    await desk.close();
  });

  test('work that takes too long is given up', async () => {
    const desk = new StudyDesk({ patienceMs: 300, workMs: 20 });
    const endless = (): Promise<never> => new Promise(() => undefined);
    await expect(desk.ask('endless', endless)).rejects.toMatchObject({ statusCode: 504 });
  });

  test('works one after another, tells how far it is, and keeps results', async () => {
    const desk = new StudyDesk({ patienceMs: 5 });
    let running = 0;
    let finish = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const work = (name: string) => async (tools: StudyTools) => {
      expect(++running).toBe(1);
      tools.onProgress({ part: name, done: 1, total: 2 });
      await gate;
      running--;
      return name;
    };
    expect(await desk.ask('a', work('a'))).toEqual({ state: 'computing', part: 'a', done: 1, total: 2 });
    expect(await desk.ask('b', work('b'))).toMatchObject({ state: 'computing', part: 'waiting' });
    finish();
    await sleep(20);
    const never = (): Promise<string> => Promise.reject(new Error('was done before'));
    for (const key of ['a', 'b', 'a']) {
      expect(await desk.ask(key, never)).toEqual({ state: 'ready', value: key });
    }
  });

  test('tells of a failure once and then tries again; too many are refused; closing ends all', async () => {
    const desk = new StudyDesk({ patienceMs: 5 });
    await expect(desk.ask('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await desk.ask('a', async () => 1)).toEqual({ state: 'ready', value: 1 });
    const untilClosed = ({ signal }: { signal: AbortSignal }): Promise<never> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('closed'))));
    for (let i = 0; i < 8; i++) await desk.ask(`waits ${i}`, untilClosed);
    await expect(desk.ask('one more', untilClosed)).rejects.toMatchObject({
      statusCode: 503,
      retryAfter: 10,
    });
    await desk.close();
    await expect(desk.ask('waits 7', untilClosed)).rejects.toThrow('closing');
  });
});
