import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { EngineHttp } from './engine-http.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** An engine that takes its time, and says how often it was asked. */
async function slowEngine(ms: number): Promise<{ http: EngineHttp; asked: () => number }> {
  let asked = 0;
  const started = createServer(async (_, response) => {
    const own = ++asked;
    await sleep(ms);
    response.end(JSON.stringify({ own }));
  });
  server = started;
  await new Promise<void>((done) => started.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  const http = new EngineHttp({
    engine: 'Slow',
    origins: [origin],
    keyHint: '',
    tryMs: 30,
    totalMs: 60,
  });
  return { http, asked: () => asked };
}

test('what takes long by nature has its own time, also where all others have less in all', async () => {
  const { http, asked } = await slowEngine(300);
  expect(await http.json('/', { tryMs: 600_000 })).toEqual({ own: 1 });
  expect(asked()).toBe(1);
});

test('others are asked again, and are given up when their time is over', async () => {
  const { http, asked } = await slowEngine(300_000);
  await expect(http.json('/')).rejects.toThrow(
    /^Slow at http:\/\/127\.0\.0\.1:\d+ does not answer \(\d+ tries\)/,
  );
  expect(asked()).toBeGreaterThan(0);
});
