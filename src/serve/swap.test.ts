import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCollection } from './collection.fixture.js';
import { serveTarget } from './serve-target.js';
import { keptLog, send } from './server.fixture.js';

const SWAPS = 20;
const CLIENTS = 8;
/** Requests over all swaps; SWAP_REQUESTS=10000 for the whole bar. */
const REQUESTS = Number(process.env.SWAP_REQUESTS ?? 1000);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-swap-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** A collection that carries its number in every text and every metadata. */
async function writeState(number: number): Promise<void> {
  const documents = Array.from({ length: 20 }, (_, i) => ({
    id: `d${i}`,
    text: `shared word${i} state${number}`,
    metadata: { state: number },
  }));
  await writeCollection(join(folder, 'data'), documents);
}

test.each([
  ['documents that cannot be changed', true],
  ['documents that can', false],
])('requests during %s being swapped: none fails, none sees two versions', async (_, readOnly) => {
  await writeState(0);
  const state = join(folder, readOnly ? 'unused' : 'state');
  const server = await serveTarget(join(folder, 'data'), {
    log: keptLog(),
    ...(readOnly ? { readOnly } : { state }),
  });
  await server.listen(0);
  await server.start();
  const stateOfVersion = new Map<string, number>();
  const statesSeen = new Set<number>();
  let answers = 0;
  let swapping = true;
  const client = async (): Promise<void> => {
    while (swapping) {
      const { status, body } = await send(server, 'POST', '/v1/search', {
        queries: ['shared', 'word3'],
        k: 5,
      });
      expect(status).toBe(200);
      const seen = new Set<number>();
      for (const { hits } of body.results) {
        for (const { metadata, snippet } of hits) {
          seen.add(metadata.state);
          expect(snippet.text).toContain(`state${metadata.state}`);
        }
      }
      expect(seen.size).toBe(1);
      const [number] = seen;
      if (!stateOfVersion.has(body.version)) stateOfVersion.set(body.version, number);
      expect(number).toBe(stateOfVersion.get(body.version));
      statesSeen.add(number);
      answers++;
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  // Told below.
  clients.catch(() => undefined);
  for (let number = 1; number <= SWAPS; number++) {
    await writeState(number);
    expect((await send(server, 'POST', '/v1/admin/reload')).body.changed).toBe(true);
    // However far the clients got while it was swapped: each version is seen before the next. One that fails is told at once.
    const seen = expect.poll(() => statesSeen.has(number) && answers >= (REQUESTS * number) / SWAPS, {
      interval: 5,
    });
    await Promise.race([clients, seen.toBe(true)]);
  }
  swapping = false;
  await clients;
  await server.close();
  expect(statesSeen.size).toBeGreaterThanOrEqual(SWAPS);
  expect(answers).toBeGreaterThanOrEqual(REQUESTS);
});
