import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createCrossEncoder, saveCrossEncoder } from '../src/model/cross-encoder/cross-encoder-model.js';
import { loadEncoderModel } from '../src/model/index.js';
import { writeTunedFusion } from '../src/search/open/tuned-fusion.js';
import { makeSearchFixture, type SearchFixture } from '../src/search/search.fixture.js';
import { type ServeProcess, startServe } from './web/serve-process.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
/** A command that has not ended by then never will. */
const HANGS_MS = 240_000;

let fixture: SearchFixture;
const running: ServeProcess[] = [];

beforeAll(async () => {
  fixture = await makeSearchFixture();
});
afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())));
afterAll(() => fixture.remove());

async function serve(...args: string[]): Promise<ServeProcess> {
  const server = await startServe(fixture.run, args);
  running.push(server);
  return server;
}

/** Fails where the process has to be killed. */
async function search(...args: string[]): Promise<string> {
  const words = [CLI, 'search', fixture.run, ...args];
  return (await promisify(execFile)(process.execPath, words, { timeout: HANGS_MS })).stdout;
}

test('with tuned weights too, a search ends and a server stops', async () => {
  await search('--tune', 'dev', '--threads', '1');
  const found = JSON.parse(await search(fixture.queries[0].text, '--threads', '2', '--json'));
  expect(found.mode).toBe('hybrid');
  const server = await serve();
  expect((await fetch(`${server.url}/v1/admin/reload`, { method: 'POST' })).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test('--watch takes over a newer cross-encoder and newly tuned weights', async () => {
  const server = await serve('--reranker', fixture.reranker, '--watch', '0.2', '--read-only');
  const version = async (): Promise<string> => {
    const info = (await (await fetch(`${server.url}/v1/info`)).json()) as { version: string };
    return info.version;
  };
  const first = await version();
  await saveCrossEncoder(
    fixture.reranker,
    createCrossEncoder(await loadEncoderModel(join(fixture.run, 'best')), { seed: 77 }),
    { overwrite: true },
  );
  await expect.poll(version).not.toBe(first);
  const second = await version();
  await changeWeights();
  await expect.poll(version).not.toBe(second);
  expect(await server.stop()).toBe(0);
});

async function changeWeights(): Promise<void> {
  const cache = join(fixture.run, 'cache/search');
  const { contentSha256: _, ...tuned } = JSON.parse(await readFile(join(cache, 'hybrid.json'), 'utf8'));
  await writeTunedFusion(cache, { ...tuned, weights: [0.123, 0.877] });
}
