import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatTable } from '../src/base/table.js';
import { AXES, type AxisName } from '../src/recipe/axis-places.js';
import { loadRecipe } from '../src/recipe/load.js';
import { builtInRecipes } from '../src/recipe/recipe-file.js';
import { kindsOn, type RecipeField, recipeFields } from '../src/recipe/schema/fields.js';

const docs = resolve(import.meta.dirname, '../docs');
const page = await readFile(join(docs, 'recipes.md'), 'utf8');

function row({ path, expected, required, default: value, description, axis }: RecipeField): string[] {
  // A file's name stands in for the name.
  const none = required && path !== 'name' ? 'required' : '';
  const takes = axis ? `one of the [${AXES[axis].title.toLowerCase()}](#${anchor(axis)})` : expected;
  return [`\`${path}\``, takes, value === undefined ? none : `\`${JSON.stringify(value)}\``, description];
}

function anchor(axis: AxisName): string {
  return AXES[axis].title.toLowerCase().replaceAll(' ', '-');
}

function tableOf(header: string[], rows: string[][]): string {
  return formatTable({ header, rows, numeric: header.map(() => false) }, 'markdown');
}

/** The kinds of an axis, and their options; those that several have alike are told once. */
function axisSection(axis: AxisName, paths: readonly string[]): string {
  const kinds = kindsOn(axis);
  const owners = new Map<string, string[]>();
  for (const { name, fields } of kinds) {
    for (const field of fields) {
      const key = JSON.stringify(row(field));
      owners.set(key, [...(owners.get(key) ?? []), `\`${name}\``]);
    }
  }
  const options = [...owners].map(([key, names]) => {
    const [option, ...rest] = JSON.parse(key) as string[];
    return [option, names.join(', '), ...rest];
  });
  const parts = [
    `## ${AXES[axis].title}`,
    `Named by ${paths.map((path) => `\`${path}\``).join(', ')}.${kinds.length === 0 ? ' None comes with nearmiss.' : ''}`,
    ...(kinds.length > 0
      ? [
          tableOf(
            ['kind', 'meaning'],
            kinds.map(({ name, description }) => [`\`${name}\``, description]),
          ),
        ]
      : []),
    ...(options.length > 0 ? [tableOf(['option', 'of', 'takes', 'default', 'meaning'], options)] : []),
  ];
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`;
}

test('docs/recipe-reference.md says what the schema and the kinds say (vitest -u writes it)', async () => {
  const repeated = /^stages\[\]\.(loss|teacher|examples|optimizer|batch)\./;
  const fields = recipeFields();
  const shown = fields.filter(({ path }) => !repeated.test(path));
  const sections = (Object.keys(AXES) as AxisName[]).map((axis) =>
    axisSection(
      axis,
      fields.filter((field) => field.axis === axis).map(({ path }) => path),
    ),
  );
  const text = `# Recipe reference

Every setting of a [recipe](recipes.md). \`[]\` stands for each item of a list. Settings that name a value of an axis
have the options of that value beside them; the values are below, and more come with [modules](recipes.md#values-of-your-own).
A stage may have a \`loss\`, \`teacher\`, \`examples\`, \`optimizer\` and \`batch\` of its own. \`loss\` may be a list of losses, whose
weighted sum is learned from.

${tableOf(['setting', 'takes', 'default', 'meaning'], shown.map(row))}
${sections.join('\n')}`;
  expect(shown.length).toBeGreaterThan(50);
  expect(sections.join()).toContain('`skipRanks`');
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
