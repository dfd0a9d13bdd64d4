import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { UsageError } from '../../base/errors.js';
import { loadRecipe } from '../../recipe/load.js';
import type { Role, TimedEvent } from '../../run/events.js';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { oneThread } from '../one-thread.fixture.js';
import { tricksTable } from './rows.js';
import { reproduceTricks, type TricksOptions } from './tricks.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-tricks-'));
  vi.stubEnv('NEARMISS_CACHE', join(folder, 'cache'));
  await writeSynonyms(join(folder, 'data'), { words: 9, seed: 3 });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const SIZES =
  'init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 300, maxLength: {query: 8, document: 8}';

function options(more: Partial<TricksOptions> = {}): TricksOptions {
  return {
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'dev',
    out: join(folder, 'out'),
    stepFactor: 0.05,
    set: [`model={${SIZES}}`, 'optimizer.learningRate=5e-3', 'evaluation.when=end', 'refresh.mode=lockstep'],
    teacherSet: [
      `model={kind: cross, ${SIZES}}`,
      'stages.train.negatives=[{source: random, count: 3}]',
      'evaluation.when=end',
    ],
    recipes: ['mined-neg', 'margin-mse'],
    ...oneThread(),
    ...more,
  };
}

test('a teacher is trained once and before all rows, and rows with and without it are compared', async () => {
  const steps: number[] = [];
  const onEvent = (_: Role, event: TimedEvent): void => {
    if (event.type === 'step') steps.push(event.totalSteps);
  };
  const { rows } = await reproduceTricks(options({ supervise: { ...options().supervise, onEvent } }));
  expect(rows.map(({ system, steps }) => [system, steps])).toEqual([
    ['BM25', 0],
    ['untrained', 0],
    ['Mined once', 15],
    ['Margin-MSE', 15],
  ]);
  expect(steps).toHaveLength(3 * 15);
  expect(existsSync(join(folder, 'out', 'teacher', 'best'))).toBe(true);
  const [, start, mined, taught] = rows;
  expect(mined.measures['RR@10']).toBeGreaterThan(start.measures['RR@10']);
  expect(mined.pValues['Margin-MSE']).toBe(taught.pValues['Mined once']);

  const untouched = { ...options().supervise, onEvent: () => expect.fail('a row was trained again') };
  const again = await reproduceTricks(options({ supervise: untouched }));
  expect(again.rows).toEqual(rows);
});

test.each([
  [{ recipes: ['margin-msee'] }, /rows of the table of tricks, got "margin-msee"/],
  [{ set: ['evaluation.patience=1'] }, /evaluation\.patience: expected 0/],
])('%j is refused before a teacher is trained', async (more, message) => {
  const out = join(folder, 'refused');
  const error = await reproduceTricks(options({ out, ...more })).catch((reason) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toMatch(message);
  expect(existsSync(out)).toBe(false);
});

test('all rows are recipes that load, and take the same number of steps', async () => {
  for (const { name, recipe, set = [] } of tricksTable('/teacher', 4).rows) {
    const { stages } = (await loadRecipe(recipe, { set: [...set] })).recipe;
    expect([name, stages.reduce((sum, { steps }) => sum + steps, 0)]).toEqual([name, 300]);
  }
});
