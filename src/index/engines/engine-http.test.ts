import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { parseEngineAddress } from './address.js';
import { EngineAway } from './engine-away.js';
import { EngineHttp } from './engine-http.js';
import { qdrant } from './qdrant/qdrant.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** How long a request waits for its answer, and what that is; the first is 1. */
type Answers = (nth: number) => { ms: number; text?: string };

/** An engine that takes its time, and says how often it was asked. */
async function slowEngine(
  answers: Answers,
  limits: { tryMs?: number; totalMs?: number } = {},
): Promise<{ http: EngineHttp; origin: string; asked: () => number }> {
  let asked = 0;
  const started = createServer(async (_, response) => {
    const own = ++asked;
    const { ms, text = JSON.stringify({ own }) } = answers(own);
    await sleep(ms);
    response.end(text);
  });
  server = started;
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  const http = new EngineHttp({ engine: 'Slow', origins: [origin], keyHint: '', ...limits });
  return { http, origin, asked: () => asked };
}

const NEVER = 300_000;

test('what takes long by nature has its own time, also where all others have less in all', async () => {
  const { http, asked } = await slowEngine(() => ({ ms: 300 }), { tryMs: 30, totalMs: 60 });
  expect(await http.json('/', { tryMs: 600_000 })).toEqual({ own: 1 });
  expect(asked()).toBe(1);
});

test('what is not answered in time is asked again', async () => {
  const { http } = await slowEngine((nth) => ({ ms: nth === 1 ? NEVER : 0 }), { tryMs: 1000 });
  expect((await http.json<{ own: number }>('/')).own).toBeGreaterThan(1);
});

test('what is never answered is given up when its time is over', async () => {
  const { http } = await slowEngine(() => ({ ms: NEVER }), { tryMs: 30, totalMs: 60 });
  const asking = http.json('/');
  await expect(asking).rejects.toThrow(/^Slow at http:\/\/127\.0\.0\.1:\d+ does not answer \(\d+ tries\)/);
  await expect(asking).rejects.toBeInstanceOf(EngineAway);
});

test('a connection has the patience that it was made with', async () => {
  const { origin } = await slowEngine((nth) => ({ ms: nth === 1 ? 0 : NEVER, text: '{"version":"1.16.3"}' }));
  const address = parseEngineAddress(`qdrant${origin.slice('http'.length)}/docs`);
  const connection = await qdrant.connect(address, { patienceMs: 100 });
  await expect(connection.current('docs')).rejects.toBeInstanceOf(EngineAway);
});

test('what is no engine is told, and not asked again', async () => {
  const { http, asked } = await slowEngine(() => ({ ms: 0, text: '<html>welcome</html>' }));
  await expect(http.json('/')).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+: expected Slow, got "<html>welcome<\/html>"$/,
  );
  expect(asked()).toBe(1);
});
