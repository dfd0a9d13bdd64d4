import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatConfig } from './format-config.js';
import { loadRecipe } from './load.js';
import { leaves, pathText } from './paths.js';
import { builtInRecipes } from './recipe-file.js';
import { recipeFolder } from './recipe-files.fixture.js';

const names = await builtInRecipes();
const TABLE_1 = [
  'rand-neg',
  'nce-neg',
  'bm25-neg',
  'dpr',
  'bm25-then-rand',
  'bm25-then-nce',
  'bm25-then-bm25-rand',
  'ance-firstp',
  'ance-maxp',
];
const { write } = recipeFolder();

describe.each(names)('%s', (name) => {
  test('loads without warnings and says what it is', async () => {
    const { recipe, warnings } = await loadRecipe(name);
    expect(warnings).toEqual([]);
    expect(recipe.name).toBe(name);
    expect(recipe.description.length).toBeGreaterThan(50);
  });

  test('comes back from its printed form as it was', async () => {
    const { recipe, origins } = await loadRecipe(name);
    const path = await write('printed.yaml', formatConfig(recipe, origins));
    const again = await loadRecipe(path);
    expect(again.recipe).toEqual(recipe);
    expect([...again.origins.values()].every((origin) => origin.startsWith(path))).toBe(true);
  });

  test('stays the same when every value is set to itself', async () => {
    const { recipe } = await loadRecipe(name);
    const set = leaves(recipe).map(({ keys, value }) => `${pathText(recipe, keys)}=${JSON.stringify(value)}`);
    const again = await loadRecipe(name, { set });
    expect(again.recipe).toEqual(recipe);
    expect(new Set(again.origins.values())).toEqual(new Set(['--set']));
  });
});

test('the rows of Table 1 take the same number of steps with the same encoder', async () => {
  const recipes = await Promise.all(TABLE_1.map(async (name) => (await loadRecipe(name)).recipe));
  for (const { stages, model, optimizer, batch } of recipes) {
    expect(stages.reduce((sum, { steps }) => sum + steps, 0)).toBe(300);
    const { passages: _, scorer: __, ...encoder } = model;
    expect(recipes[0].model).toMatchObject(encoder);
    expect(optimizer).toEqual(recipes[0].optimizer);
    expect(batch.queries).toBe(32);
  }
});

test('all warm-ups on BM25 are the same stage', async () => {
  const warmups = await Promise.all(
    TABLE_1.map(async (name) => (await loadRecipe(name)).recipe.stages.find((s) => s.name === 'warmup')),
  );
  const found = warmups.filter((stage) => stage !== undefined);
  expect(found).toHaveLength(3);
  expect(new Set(found.map((stage) => JSON.stringify(stage))).size).toBe(1);
});

test('ANCE at laptop size mixes in-batch negatives with one from the index', async () => {
  const { recipe } = await loadRecipe('ance-firstp');
  expect(recipe.stages[0]).toMatchObject({
    steps: 300,
    negatives: [{ source: 'in-batch' }, { source: 'ann', count: 1, depth: 50 }],
  });
  expect(recipe.loss).toMatchObject({ name: 'infonce', temperature: 0.05 });
});

test("the paper's recipes have the published hyperparameters", async () => {
  const figures = async (name: string): Promise<unknown[]> => {
    const { model, optimizer, batch, stages, checkpoint } = (await loadRecipe(name)).recipe;
    return [
      Number(model.maxLength.document) * model.passages.pieces,
      batch.queries * batch.accumulate,
      optimizer.name,
      optimizer.learningRate,
      optimizer.warmupSteps,
      checkpoint.every,
      stages.map(({ steps, negatives }) => `${steps} ${negatives.map(({ source }) => source)}`).join(),
    ];
  };
  expect(await figures('paper/warmup')).toEqual([128, 32, 'lamb', 2e-4, 1000, 30_000, '60000 bm25']);
  expect(await figures('paper/ance-firstp-passage')).toEqual([
    512,
    64,
    'lamb',
    1e-6,
    5000,
    10_000,
    '600000 ann',
  ]);
  expect(await figures('paper/ance-firstp-document')).toEqual([
    512,
    64,
    'lamb',
    5e-6,
    3000,
    10_000,
    '210000 ann',
  ]);
  expect(await figures('paper/ance-maxp-document')).toEqual([
    2048,
    128,
    'lamb',
    1e-5,
    500,
    10_000,
    '139000 ann',
  ]);
});

test('the compiled package finds them too', async () => {
  const compiled = resolve(import.meta.dirname, '../../dist/train/index.js');
  expect(existsSync(compiled), 'build first: npm run build').toBe(true);
  const { loadRecipe: load } = (await import(compiled)) as { loadRecipe: typeof loadRecipe };
  expect((await load('paper/warmup')).recipe.model.init).toBe('FacebookAI/roberta-base');
});
