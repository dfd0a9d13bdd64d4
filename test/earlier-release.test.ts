import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Encoder, loadEncoderModel } from '../src/model/index.js';
import { RunDirectory } from '../src/run/run-directory.js';
import { openSearcher } from '../src/search/index.js';
import { bothRoles, eventsOf } from '../src/train/run.fixture.js';

/** Made by the commit that it is named after; its README says how. */
const MADE = resolve(import.meta.dirname, 'releases/2717b73');

interface Hit {
  id: string;
  score: number;
}

const { query, ...expected }: { query: string } & Record<'run' | 'bm25' | 'flat' | 'hnsw', Hit[]> =
  JSON.parse(await readFile(join(MADE, 'expected.json'), 'utf8'));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-earlier-'));
  await cp(MADE, folder, { recursive: true });
  const description = join(folder, 'run/run.json');
  await writeFile(description, (await readFile(description, 'utf8')).replace('/made/here', folder));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['run', 'dense', {}],
  ['bm25', 'bm25', {}],
  ['flat', 'dense', { model: 'run/best' }],
  ['hnsw', 'dense', { model: 'run/best' }],
] as const)('%s: finds what it found then', async (name, mode, { model }: { model?: string }) => {
  const searcher = await openSearcher(join(folder, name), {
    modes: [mode],
    threads: 1,
    ...(model && { model: join(folder, model) }),
  });
  try {
    const [hits] = await searcher.retriever(mode).search([query], { k: 5 });
    expect(hits.map(({ score }) => score)).toEqual(
      expected[name].map(({ score }) => expect.closeTo(score, 4)),
    );
    expect(hits[0].id).toBe(expected[name][0].id);
  } finally {
    await searcher.close();
  }
});

test('the model opens and encodes', async () => {
  const encoder = await Encoder.create(await loadEncoderModel(join(folder, 'run/best')), {
    session: { threads: 1 },
  });
  const { vectors } = await encoder.encode([query]);
  await encoder.release();
  expect(Math.hypot(...vectors)).toBeCloseTo(1, 5);
});

test('the interrupted run goes on where it was, and ends', async () => {
  const run = new RunDirectory(join(folder, 'run'));
  await bothRoles(run);
  expect(await run.isFinished()).toBe(true);
  const steps = (await eventsOf(run, 'trainer')).flatMap((event) =>
    event.type === 'step' ? event.step : [],
  );
  expect(steps.at(-1)).toBe(43);
  // Step 8 was the first that the earlier release had no checkpoint after.
  expect(steps.filter((step) => step < 8)).toEqual([...Array(8).keys()]);
  const searcher = await openSearcher(run.path, { modes: ['dense'], threads: 1 });
  const [hits] = await searcher.retriever('dense').search([query], { k: 1 });
  expect(hits).toHaveLength(1);
  await searcher.close();
});
