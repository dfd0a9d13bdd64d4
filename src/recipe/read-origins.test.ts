import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { formatConfig } from './format-config.js';
import { loadRecipe } from './load.js';
import { readOrigins } from './read-origins.js';
import { builtInRecipes } from './recipe-file.js';

test.each(await builtInRecipes())('%s: the origins come back from the printed recipe', async (name) => {
  const { recipe, origins } = await loadRecipe(name, { set: ['optimizer.learningRate=3e-5'] });
  const read = readOrigins(formatConfig(recipe, origins), recipe);
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries(origins));
  expect(read.get('optimizer.learningRate')).toBe('--set');
});

test('a recipe printed without origins has none', async () => {
  const { recipe } = await loadRecipe('tiny');
  expect(readOrigins(stringify(recipe), recipe).size).toBe(0);
});
