import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openDataset } from '../data/index.js';
import { writeGuides } from './adapt.fixture.js';
import { prepareAdaptation, writtenFolder } from './prepare.js';

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let server: Server;
let url: string;
/** What the service was asked, and after how many requests it refuses. */
let asked: string[] = [];
let refusesAfter = Number.POSITIVE_INFINITY;

/** A service that asks with words of the passage, once well and once badly. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-adapt-generate-'));
  await writeGuides(join(folder, 'guides'), 60);
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const prompt: string = JSON.parse(body).messages[0].content;
    const passage = prompt.slice(prompt.indexOf('Passage: ') + 9, prompt.lastIndexOf('Queries:')).trim();
    if (asked.length >= refusesAfter) {
      response.writeHead(400).end('no more');
      return;
    }
    asked.push(passage);
    const [, thing] = /(\w+ \d+ of the \w+)/.exec(passage) ?? [];
    const content = `what about the ${thing ?? passage.slice(0, 20)} today\nzebra unrelated question`;
    response.end(JSON.stringify({ choices: [{ message: { content } }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
beforeEach(() => {
  asked = [];
  refusesAfter = Number.POSITIVE_INFINITY;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const prepare = (name: string, generate = {}) =>
  prepareAdaptation(join(folder, 'guides'), {
    folder: join(folder, name),
    seed: 1,
    train: 300,
    generate: { generator: url, service: 'words', ...generate },
  });

test('generated queries are learned from beside the others, those that do not lead back are left out', async () => {
  const prepared = await prepare('data');
  const { generated, made, mix } = prepared;
  expect(mix.train).toContain('generated');
  expect(mix.heldOut).not.toContain('generated');
  expect(made.train.generated).toBeGreaterThan(10);
  expect(generated!.documents).toBe(asked.length);
  expect(generated!.kept).toBeLessThanOrEqual(generated!.written / 2);
  const written = await openDataset(join(folder, 'data'));
  const texts: string[] = [];
  for await (const { text, metadata } of written.queries()) {
    if (metadata?.maker === 'generated') texts.push(text);
  }
  expect(texts).toHaveLength(made.train.generated);
  expect(texts.every((text) => text.startsWith('what about the'))).toBe(true);
});

test('without the round trip all are used', async () => {
  const { generated } = await prepare('all', { roundTrip: false });
  expect(generated!.kept).toBe(generated!.written);
});

test('no document that is measured with is asked about', async () => {
  await prepare('apart');
  const written = await openDataset(join(folder, 'apart'));
  const held = new Set([...(await written.qrels('made')).values()].flatMap((grades) => [...grades.keys()]));
  const texts = new Map<string, string>();
  for await (const { id, text } of written.documents()) texts.set(id, text);
  for (const id of held) expect(asked.some((passage) => passage.includes(texts.get(id)!))).toBe(false);
});

test('what was written before a service gave up is not asked for again', async () => {
  refusesAfter = 25;
  await expect(prepare('stopped')).rejects.toThrow('status 400: no more');
  const before = new Set(asked);
  expect(await readdir(writtenFolder(join(folder, 'stopped')))).toHaveLength(2);
  refusesAfter = Number.POSITIVE_INFINITY;
  asked = [];
  const { generated } = await prepare('stopped');
  // What was under way when it gave up is a batch at most.
  expect(asked.filter((passage) => before.has(passage)).length).toBeLessThan(4);
  expect(asked.length).toBeLessThan(generated!.documents - 20);
});

test('a generator that is not there is told before anything is read', async () => {
  await expect(prepare('nobody', { generator: join(folder, 'nobody') })).rejects.toMatchObject({
    message: expect.stringContaining('nobody: no such generator'),
    hint: expect.stringContaining('--recipe query-generator'),
  });
  await expect(prepare('usual', { generator: undefined })).rejects.toThrow(
    'runs/generator: no such generator',
  );
  await expect(prepare('unnamed', { service: undefined })).rejects.toThrow(
    'which of its models is to write?',
  );
});
