import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emitOnnx, Graph, Session } from '../src/engine/index.js';
import { orders } from '../src/examples/index.js';
import { losses } from '../src/loss/index.js';
import { loadRecipe } from '../src/recipe/load.js';

const folder = resolve(import.meta.dirname, '../examples/axes');
const recipes = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

test.each(recipes)('%s loads with its module', async (name) => {
  const { recipe, warnings } = await loadRecipe(join(folder, name));
  expect(recipe.use).toEqual([join(folder, name.replace('.yaml', '.js'))]);
  expect(warnings).toEqual([]);
});

test('loss.js: the squared hinge of one query', async () => {
  const { recipe } = await loadRecipe(join(folder, 'loss.yaml'));
  expect(recipe.loss).toEqual([
    { name: 'infonce', temperature: 0.05, weight: 1 },
    { name: 'squared-hinge', temperature: 0.05, weight: 0.1, margin: 4 },
  ]);
  const graph = new Graph();
  const [scores, positive, negative] = ['scores', 'positive', 'negative'].map((name) =>
    graph.input(name, [1, 3]),
  );
  const loss = losses.get('squared-hinge').create({ margin: 1 }).build({ scores, positive, negative });
  const session = await Session.create(emitOnnx(graph, { outputs: { loss } }), { threads: 1 });
  const row = (...values: number[]) => ({ shape: [1, 3], data: Float32Array.from(values) });
  const found = await session.run({
    scores: row(2, 1.5, -3),
    positive: row(1, 0, 0),
    negative: row(0, 1, 1),
  });
  expect(found.loss.data[0]).toBeCloseTo((1 - 0.5) ** 2 / 2, 6);
});

test('order.js: neighbours together, and every query once in an epoch', async () => {
  await loadRecipe(join(folder, 'order.yaml'));
  const [count, queries, accumulate] = [32, 3, 2];
  const order = await orders.get('neighbours').open({}, { count, queries, accumulate, seed: 7, stage: 0 });
  const groups = Math.ceil(count / queries);
  const batch = (n: number): readonly number[] => order.members(Math.floor(n / accumulate), n % accumulate);
  const epochs = [0, 1].map((epoch) => Array.from({ length: groups }, (_, n) => batch(epoch * groups + n)));
  for (const batches of epochs) {
    for (const [first, ...others] of batches) expect(others).toEqual(others.map((_, i) => first + i + 1));
    const all = batches.flat().toSorted((a, b) => a - b);
    expect(all).toEqual(Array.from({ length: count }, (_, i) => i));
  }
  expect(epochs[0]).not.toEqual(epochs[1]);
});
