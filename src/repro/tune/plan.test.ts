import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedRecipe, extendsFrom } from '../../recipe/changed-recipe.js';
import { fingerprintRecipe } from '../../recipe/fingerprint.js';
import { loadRecipe } from '../../recipe/load.js';
import { rungSizes, rungSteps } from './rungs.js';
import { asOverrides, combinations, defaultSettings, parseTry } from './settings.js';

const { recipe: ance } = await loadRecipe('ance-firstp');
const { recipe: tiny } = await loadRecipe('tiny');

test('candidates become fewer until two or so are compared over all their steps', () => {
  expect(rungSizes(9, 0.5)).toEqual([9, 5, 3, 2]);
  expect(rungSizes(9, 1 / 3)).toEqual([9, 3]);
  expect(rungSizes(2, 0.5)).toEqual([2]);
  expect(rungSizes(1, 0.5)).toEqual([1]);
  expect(rungSizes(4, 0.9)).toEqual([4, 3, 2]);
});

test('rungs end at checkpoints, the last at the end', () => {
  expect(rungSteps(tiny, 2, 0.5)).toEqual([20, 30]);
  expect(rungSteps(tiny, 3, 1 / 3)).toEqual([10, 20, 30]);
  expect(rungSteps(tiny, 3, 0.9)).toEqual([10, 20, 30]);
  expect(() => rungSteps(tiny, 5, 0.5)).toThrow(/every 10 of 30 steps is too seldom for 5 rounds/);
});

test('settings are named, or are any path; lists are values', () => {
  expect(parseTry('rate=1e-5, 2e-5', ance)).toEqual({
    name: 'rate',
    paths: ['optimizer.learningRate'],
    values: ['1e-5', '2e-5'],
  });
  expect(parseTry('steps=50,100', tiny).paths).toEqual(['stages.ance.steps']);
  expect(parseTry('depth=50', tiny).paths).toEqual([
    'stages.warmup.negatives.0.depth',
    'stages.ance.negatives.1.depth',
  ]);
  expect(parseTry('stages.ance.freeze=[],[embeddings, head]', tiny).values).toEqual([
    '[]',
    '[embeddings, head]',
  ]);
  expect(() => parseTry('rate', ance)).toThrow(/expected a setting and its values/);
  expect(() => parseTry('rate=1,,2', ance)).toThrow(/expected a setting and its values/);
});

test('of a recipe in stages, what was mined is tuned where it is mined, and the losses of all stages', async () => {
  const { recipe } = await loadRecipe('default');
  expect(parseTry('margin=0.9', recipe).paths).toEqual(['stages.mine.make.relativeMargin']);
  expect(parseTry('depth=20', recipe).paths).toEqual([
    'stages.mine.make.depth',
    'stages.both.negatives.1.depth',
  ]);
  const temperatures = ['loss.temperature', 'stages.queries.loss.temperature'];
  expect(parseTry('temperature=0.02', recipe).paths).toEqual(temperatures);
  expect(defaultSettings(recipe).map(({ paths }) => paths)).toEqual([
    ['optimizer.learningRate'],
    temperatures,
  ]);
  for (const tried of ['margin=0.9', 'depth=20', 'temperature=0.02']) {
    const setting = parseTry(tried, recipe);
    const set = asOverrides(combinations([setting])[0], [setting]);
    expect(fingerprintRecipe((await loadRecipe('default', { set })).recipe)).not.toBe(
      fingerprintRecipe(recipe),
    );
  }
});

test('every combination of values is a candidate', async () => {
  const settings = [parseTry('rate=1e-5,2e-5', tiny), parseTry('margin=0.9,0.95', tiny)];
  const all = combinations(settings);
  expect(all).toHaveLength(4);
  const set = asOverrides(all[1], settings);
  const { recipe } = await loadRecipe('tiny', { set });
  expect(recipe.optimizer.learningRate).toBe(1e-5);
  expect(recipe.stages.map(({ negatives }) => negatives.at(-1)!.relativeMargin)).toEqual([0.95, 0.95]);
  const [rate] = defaultSettings(ance);
  expect(rate.values).toEqual(['0.0001', '0.00004', '0.00025']);
});

test('a changed recipe extends its parent and says only what differs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-changed-'));
  const set = ['optimizer.learningRate=2e-5', 'stages.ance.negatives.ann.depth=100', 'model.layers=null'];
  const { recipe: changed } = await loadRecipe('ance-firstp', { set });
  const text = changedRecipe(
    { base: ance, changed, description: 'a test' },
    extendsFrom(folder, 'ance-firstp'),
  );
  expect(text).toContain('extends: ance-firstp');
  expect(text).toContain('layers: null');
  expect(text).not.toContain('temperature: 0.05\n  name');
  const path = join(folder, 'winner.yaml');
  await writeFile(path, text);
  const { recipe } = await loadRecipe(path);
  expect(fingerprintRecipe(recipe)).toBe(fingerprintRecipe(changed));
  expect(recipe.name).toBe('winner');
  await rm(folder, { recursive: true });
  expect(extendsFrom('runs/tune', 'my/recipe.yaml')).toBe(join('..', '..', 'my', 'recipe.yaml'));
});
