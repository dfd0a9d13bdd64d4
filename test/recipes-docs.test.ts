import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatTable } from '../src/base/table.js';
import { type RecipeField, recipeFields } from '../src/recipe/fields.js';
import { loadRecipe } from '../src/recipe/load.js';
import { builtInRecipes } from '../src/recipe/recipe-file.js';

const docs = resolve(import.meta.dirname, '../docs');
const page = await readFile(join(docs, 'recipes.md'), 'utf8');

function row({ path, expected, required, default: value, description }: RecipeField): string[] {
  // A file's name stands in for the name.
  const none = required && path !== 'name' ? 'required' : '';
  return [`\`${path}\``, expected, value === undefined ? none : `\`${JSON.stringify(value)}\``, description];
}

test('docs/recipe-reference.md says what the schema says (vitest -u writes it)', async () => {
  const repeated = /^stages\[\]\.(loss|optimizer|batch)\./;
  const rows = recipeFields().filter(({ path }) => !repeated.test(path));
  const table = formatTable(
    {
      header: ['setting', 'takes', 'default', 'meaning'],
      rows: rows.map(row),
      numeric: [false, false, false, false],
    },
    'markdown',
  );
  const text = `# Recipe reference\n\nEvery setting of a [recipe](recipes.md). \`[]\` stands for each item of a list.\n\n${table}`;
  expect(rows.length).toBeGreaterThan(50);
  await expect(text).toMatchFileSnapshot(join(docs, 'recipe-reference.md'));
});

describe('docs/recipes.md', () => {
  test('lists every built-in recipe and shows how to train it', async () => {
    const names = await builtInRecipes();
    const listed = [...page.matchAll(/^\| `([\w/-]+)` \|/gm)].map((match) => match[1]);
    expect(names.filter((name) => !listed.includes(name))).toEqual([]);
    const shown = [...page.matchAll(/--recipe ([\w/-]+)(?!\S)/g)].map((match) => match[1]);
    expect(names.filter((name) => name !== 'base' && !shown.includes(name))).toEqual([]);
  });

  const commands = [...page.matchAll(/^nearmiss train .*$/gm)].map(([command]) => command);
  const builtIn = commands.filter((command) => !command.includes('.yaml'));

  test.each(builtIn)('%s', async (command) => {
    const values = (option: string): string[] =>
      [...command.matchAll(new RegExp(`${option} (?:'([^']*)'|(\\S+))`, 'g'))].map(([, a, b]) => a ?? b);
    const { recipe } = await loadRecipe(values('--recipe')[0], { set: values('--set') });
    expect(recipe.stages.length).toBeGreaterThan(0);
  });

  test('its own recipe loads', async () => {
    const yaml = /```yaml\n(# my-ance\.yaml\n.*?)```/s.exec(page)![1];
    const folder = await mkdtemp(join(tmpdir(), 'nearmiss-recipe-'));
    try {
      await writeFile(join(folder, 'my-ance.yaml'), yaml);
      const { recipe, warnings } = await loadRecipe(join(folder, 'my-ance.yaml'));
      expect(recipe).toMatchObject({ name: 'my-ance', model: { layers: 6, init: 'minilm' } });
      expect(warnings).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
