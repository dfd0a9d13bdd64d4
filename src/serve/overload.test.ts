import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCollection } from './collection.fixture.js';
import { serveTarget } from './serve-target.js';
import { keptLog, requestsInHand, send } from './server.fixture.js';
import type { SearchServer } from './server.js';

const DOCUMENTS = 5000;
/** What health may take in 99 of 100 cases on a machine that does nothing else. */
const HELD_UP_MS = 100;
/** On a machine that does something else, so many times what it takes there while the server is idle. */
const OVER_IDLE = 10;
const IDLE_MS = 400;
const LOOKS = 4;
/** What a refusal may take: looking at all of it would take minutes. */
const REFUSED_MS = 5000;

let folder: string;
let server: SearchServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-overload-'));
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
    id: `d${i}`,
    text: `word${i % 50} word${i % 7} word${i % 3}`,
    metadata: { n: i, same: 'same' },
  }));
  await writeCollection(folder, documents);
  server = await serveTarget(folder, { log: keptLog() });
  await server.listen(0);
  await server.start();
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** What health took in 99 of 100 cases while something was going on: in the slowest where there are fewer. */
async function healthP99(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  let isOn = true;
  const watching = (async () => {
    while (isOn) {
      const start = performance.now();
      expect((await send(server, 'GET', '/v1/health')).status).toBe(200);
      times.push(performance.now() - start);
      await sleep(5);
    }
  })();
  await work();
  isOn = false;
  await watching;
  times.sort((a, b) => a - b);
  return times[Math.floor(0.99 * times.length)];
}

/**
 * Other programs hold a server up, too: what an idle one takes before and after says how much. They do so by chance, and
 * work that does so always does: it is looked at again.
 */
async function expectNotHeldUp(work: () => Promise<unknown>): Promise<void> {
  const idle = () => healthP99(() => sleep(IDLE_MS));
  const looks: { atWork: number; limit: number }[] = [];
  while (looks.length < LOOKS) {
    const [before, atWork, after] = [await idle(), await healthP99(work), await idle()];
    const limit = Math.max(HELD_UP_MS, OVER_IDLE * Math.max(before, after));
    if (atWork < limit) return;
    looks.push({ atWork, limit });
  }
  expect.fail(`health took too long at each look (ms): ${JSON.stringify(looks)}`);
}

/** Asks, and closes the socket after a while. */
function leave(path: string, afterMs: number): Promise<void> {
  return new Promise((done) => {
    const sent = request(`${server.url}${path}`, { agent: false });
    sent.on('error', () => undefined);
    sent.on('close', () => done());
    sent.end();
    setTimeout(() => sent.destroy(), afterMs);
  });
}

/** Sends a search and closes the socket after a while. */
function abandon(body: object, afterMs: number): Promise<void> {
  return new Promise((done) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request(`${server.url}/v1/search`, { method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    sent.on('close', () => done());
    sent.end(JSON.stringify(body));
    setTimeout(() => sent.destroy(), afterMs);
  });
}

test.each([
  ['20,000 conditions', { $or: Array.from({ length: 20_000 }, (_, i) => ({ n: { $gt: i } })) }, 400],
  ['200,000 conditions', { $or: Array.from({ length: 200_000 }, (_, i) => ({ n: { $gt: i } })) }, 413],
  ['a value of 8 MB', { n: { $in: ['x'.repeat(8_000_000)] } }, 413],
])('a filter with %s is refused at once', async (_, filter, expected) => {
  const body = { query: 'word1', filter };
  const refusal = async (sent: object): Promise<{ status: number; took: number }> => {
    const start = performance.now();
    const { status } = await send(server, 'POST', '/v1/search', sent);
    return { status, took: performance.now() - start };
  };
  // As many bytes in which nothing has to be looked at.
  const plain = await refusal({ nothing: 'x'.repeat(JSON.stringify(body).length) });
  const { status, took } = await refusal(body);
  expect(status).toBe(expected);
  expect(took).toBeLessThan(Math.max(REFUSED_MS, OVER_IDLE * plain.took));
});

test('many slow filters at once do not hold up anybody', async () => {
  const slow = (i: number): object => ({
    query: 'word1',
    filter: { $or: Array.from({ length: 900 }, (_, j) => ({ n: { $gt: 1e9 + i * 1000 + j } })) },
  });
  await expectNotHeldUp(() =>
    Promise.all(Array.from({ length: 16 }, (_, i) => send(server, 'POST', '/v1/search', slow(i)))),
  );
});

test('explaining many hits of long queries does not hold up anybody', async () => {
  const query = Array.from({ length: 500 }, (_, i) => `word${i % 50}`).join(' ');
  const search = { queries: Array.from({ length: 5 }, (_, i) => `${query} ${i}`), k: 1000, explain: true };
  await expectNotHeldUp(async () => {
    expect((await send(server, 'POST', '/v1/search', search)).status).toBe(200);
  });
});

test.each([
  [
    'names that are long',
    Array.from({ length: 450 }, (_, i) => `${'x'.repeat(900)}${i}`),
    'no document has the field',
  ],
  ['a name that is a book', ['x'.repeat(100_000)], 'at most 1000 characters in a field'],
])('a filter of fields with %s is refused at once', async (_, fields, message) => {
  await expectNotHeldUp(async () => {
    const filter = { $or: fields.map((field) => ({ [field]: 1 })) };
    const { status, body } = await send(server, 'POST', '/v1/search', { query: 'word1', filter });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

test('groups of many queries are looked for as deep as all of them together may be', async () => {
  const queries = Array.from({ length: 300 }, (_, i) => `word${i % 50} word${i % 3}`);
  const { status, body } = await send(server, 'POST', '/v1/search', { queries, k: 10, groupBy: 'same' });
  expect(status).toBe(200);
  // Each would look at thousands of documents to find that there is but one group.
  const looked = body.results.map(
    ({ hits }: { hits: { group: { others: unknown[] } }[] }) => hits[0].group.others.length + 1,
  );
  expect(Math.max(...looked)).toBeLessThanOrEqual(40);
});

test('abandoned facets are not counted to the end', async () => {
  const filters = Array.from({ length: 64 }, (_, i) => ({
    $or: Array.from({ length: 100 }, (_, j) => ({ n: { $gt: 1e6 + 100 * i + j } })),
  }));
  await Promise.all(
    filters.map((filter) => leave(`/v1/facets?filter=${encodeURIComponent(JSON.stringify(filter))}`, 30)),
  );
  await expect.poll(() => requestsInHand(server)).toEqual({ active: 0, waiting: 0 });
});

test('what is abandoned is not worked on, and others are served', async () => {
  const queries = Array.from({ length: 200 }, (_, i) => `word${i % 50} word${i % 7} ${'word2 '.repeat(60)}`);
  const leaving = Array.from({ length: 128 }, () => abandon({ queries, k: 50 }, 50));
  await Promise.all(leaving);
  const { status } = await send(server, 'POST', '/v1/search', { query: 'word1' });
  expect(status).toBe(200);
  // One batch of them may still be at work; the rest has left.
  await expect.poll(() => requestsInHand(server)).toEqual({ active: 0, waiting: 0 });
});

/** Markdown whose emphasis a parser looks for the end of again at every star: the time grows with the square of the size. */
const slowFile = (bytes: number): object => ({ files: [{ path: 'slow.md', text: '*a'.repeat(bytes / 2) }] });

test('a file that is slow to parse does not hold up anybody', async () => {
  await expectNotHeldUp(() => send(server, 'POST', '/v1/files', slowFile(60_000)));
});

test('a file that is not parsed in time is given up, and the next one is taken', async () => {
  const state = await mkdtemp(join(tmpdir(), 'nearmiss-overload-state-'));
  const impatient = await serveTarget(folder, { log: keptLog(), state, limits: { workMs: 1000 } });
  try {
    await impatient.listen(0);
    await impatient.start();
    // Minutes, if it were left to its end.
    expect((await send(impatient, 'POST', '/v1/files', slowFile(900_000))).status).toBe(504);
    const file = { files: [{ path: 'quick.md', text: '# Quick\n\nA fox.' }] };
    const taken = async (): Promise<object> => {
      const { status, body } = await send(impatient, 'POST', '/v1/files', file);
      // On a busy machine the new thread may take longer to start than a request may take.
      return status === 504 ? taken() : body;
    };
    expect(await taken()).toMatchObject({ passages: 1 });
  } finally {
    await impatient.close();
    await rm(state, { recursive: true, force: true });
  }
});
