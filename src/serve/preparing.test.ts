import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdFileLock } from '../base/lock/file-lock.js';
import { writeCollection } from './collection.fixture.js';
import { Preparations } from './collections/preparations.js';
import { serveTarget } from './serve-target.js';
import { keptLog, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-preparing-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A server of a folder; it says how it is before it has opened anything. */
async function serve(folder: string): Promise<SearchServer> {
  const server = await serveTarget(folder, {
    log: keptLog(),
    search: { threads: 1, collectionModel: 'minilm' },
  });
  onTestFinished(() => server.close());
  await server.listen(0);
  const early = await send(server, 'GET', '/v1/status');
  expect([early.status, early.body.failure]).toEqual([200, undefined]);
  await server.start();
  return server;
}

test('a collection answers by words at once, and by vectors as well as soon as they are made', async () => {
  const folder = await temporary();
  await writeCollection(folder, [
    { id: 'cat', text: 'The kitten sleeps all day long on the sofa.' },
    { id: 'tax', text: 'Declare your yearly income to the authority.' },
  ]);
  const modeOf = async (server: SearchServer): Promise<string> =>
    (await send(server, 'GET', '/v1/info')).body.defaultMode;
  const first = await serve(folder);
  await expect.poll(() => modeOf(first)).toBe('hybrid');
  await first.close();

  // Vectors that are there serve from the first answer on.
  const second = await serve(folder);
  expect(await modeOf(second)).toBe('hybrid');
  await second.close();

  const vectors = await keptVectors(folder);
  await rm(vectors, { recursive: true });
  const lock = await holdFileLock(`${vectors}.lock`);
  if ('heldBy' in lock) throw new Error('nobody else should have it');
  const third = await serve(folder);
  const { body: info } = await send(third, 'GET', '/v1/info');
  expect([info.modes, info.defaultMode]).toEqual([['bm25'], 'bm25']);
  const byWords = await send(third, 'POST', '/v1/search', { query: 'kitten' });
  expect([byWords.body.mode, byWords.body.hits[0].id]).toEqual(['bm25', 'cat']);
  // Nothing is missing that somebody would have to give: the vectors are on their way.
  expect(await send(third, 'GET', '/v1/search?q=kitten&mode=hybrid')).toMatchObject({
    status: 422,
    body: {
      error: {
        message: 'the mode "hybrid" is not there yet, only bm25',
        hint: expect.stringContaining('/v1/status'),
      },
    },
  });
  await lock.release();
  await expect.poll(() => modeOf(third)).toBe('hybrid');
  const { body } = await send(third, 'POST', '/v1/search', { query: 'a feline napping' });
  expect([body.mode, body.hits[0].id]).toEqual(['hybrid', 'cat']);
  expect((await send(third, 'GET', '/v1/status')).body.preparing).toEqual([]);
});

async function keptVectors(folder: string): Promise<string> {
  const names = await readdir(join(folder, '.nearmiss'));
  return join(
    folder,
    '.nearmiss',
    names.find((name) => name.startsWith('vectors-') && !name.endsWith('.lock'))!,
  );
}

test('a server that is stopped while it makes vectors does not wait for all of them', async () => {
  const folder = await temporary();
  const texts = Array.from({ length: 4000 }, (_, i) => ({
    id: `d${i}`,
    text: `${i} ${'word '.repeat(200)}`,
  }));
  await writeCollection(folder, texts);
  const log = keptLog();
  const server = await serveTarget(folder, { log, search: { threads: 1, collectionModel: 'minilm' } });
  await server.listen(0);
  await server.start();
  const encoding = async (): Promise<{ done: number; secondsLeft?: number; total?: number }[]> =>
    (await send(server, 'GET', '/v1/status')).body.preparing;
  await expect.poll(async () => (await encoding())[0]?.done).toBeGreaterThan(0);
  const [state] = await encoding();
  expect(state).toMatchObject({ total: 4000, unit: 'documents', secondsLeft: expect.any(Number) });
  await server.close();
  expect(log.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('how long it takes is reckoned from the speed so far', () => {
  let now = 0;
  const preparations = new Preparations(() => now);
  const told: number[] = [];
  const step = { label: 'encode', unit: 'documents', total: 100, place: 'cache' };
  const progress = preparations.watch(step, { advance: (n) => told.push(n), finish: () => told.push(-1) });
  const state = { label: 'encode', unit: 'documents', total: 100 };
  expect(preparations.states).toEqual([{ ...state, done: 0 }]);
  now = 5000;
  progress.advance(20);
  expect(preparations.states).toEqual([{ ...state, done: 20, secondsLeft: 20 }]);
  progress.finish();
  expect([preparations.states, told]).toEqual([[], [20, -1]]);
});
