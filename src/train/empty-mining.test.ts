import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeRole } from './process/processes.js';
import { bothRoles, eventsOf, startRun } from './run.fixture.js';
import { writeSynonyms } from './synonyms.fixture.js';

/** Mined under a margin that nothing passes, as labels that are wrong leave nothing. */
const recipeOf = (negatives: string): string => `
extends: tiny
stages:
  - name: mine
    make: { name: mine, depth: 10, relativeMargin: 0.001 }
  - name: learn
    steps: 3
    loss: infonce
    negatives: [${negatives}{ source: static, file: 'stage:mine', depth: 10 }]
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-empty-'));
  await writeSynonyms(join(folder, 'data'), { words: 5, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('where nothing is mined, a stage with other negatives learns from these, and that is told', async () => {
  await writeFile(join(folder, 'both.yaml'), recipeOf('in-batch, '));
  const run = await startRun(folder, 'both', { recipe: join(folder, 'both.yaml') });
  await bothRoles(run);
  const events = await eventsOf(run, 'trainer');
  const [warning] = events.filter((event) => event.type === 'log');
  expect(warning).toMatchObject({ level: 'warning' });
  expect(warning.message).toMatch(
    /^mined by stage mine: (\d+) of \1 training queries have no candidate .* the rule relative-margin removed most/,
  );
  const steps = events.filter((event) => event.type === 'step');
  expect(steps).toHaveLength(3);
  for (const { loss, gradientNorm } of steps) {
    expect(loss).toBeGreaterThan(0);
    expect(gradientNorm).toBeGreaterThan(0);
  }
});

test('a stage without others is refused, not trained on a loss of 0', async () => {
  await writeFile(join(folder, 'alone.yaml'), recipeOf(''));
  const run = await startRun(folder, 'alone', { recipe: join(folder, 'alone.yaml') });
  await expect(takeRole('trainer', run.path, { session: { threads: 1 }, quiet: true })).rejects.toThrow(
    /^static negatives of .*: none of the \d+ training queries has a candidate/,
  );
});
