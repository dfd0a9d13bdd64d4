import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { losses } from '../loss/kinds.js';
import { loadRecipe } from './load.js';
import { loadedModules, loadModules } from './modules.js';
import { recipeFolder } from './recipe-files.fixture.js';

const { write, load, failure } = recipeFolder();

const STAGES = 'stages: [{name: a, steps: 300, negatives: [in-batch]}]';

/** A module that registers a loss with one option. */
const lossModule = (name: string, option = ''): string => `
  export default ({ losses, engine, settings }) => {
    losses.register({
      name: '${name}',
      description: 'for a test',
      options: { ${option} },
      create: () => ({ name: '${name}', negatives: 'batch', build: ({ scores }) => engine.reduceMean(scores) }),
    });
  };`;

describe('use', () => {
  test('a module of a folder without packages registers a loss, whose options recipes then take', async () => {
    const path = await write(
      'cubed.js',
      lossModule('cubed', 'power: settings.whole(1).default(3).describe("p")'),
    );
    const { recipe, origins } = await load(`use: [./cubed.js]\nloss: {name: cubed}\n${STAGES}`);
    expect(recipe.use).toEqual([path]);
    expect(recipe.loss).toEqual({ name: 'cubed', temperature: 0.05, weight: 1, power: 3 });
    expect(origins.get('use')).toMatch(/my\.yaml:1$/);
    expect(await failure(`use: [cubed.js]\nloss: {name: cubed, powr: 2}\n${STAGES}`)).toMatchObject({
      message: 'my.yaml:2: loss.powr: unknown setting',
      hint: 'did you mean loss.power?',
    });
    expect(await failure(`use: [cubed.js]\nloss: {name: infonce, power: 2}\n${STAGES}`)).toMatchObject({
      message: 'my.yaml:2: loss.power: infonce has no power, got a number (2)',
      hint: 'infonce takes temperature, weight, teacher',
    });
  });

  test('paths count from the file that says them, parents and children add up', async () => {
    const one = await write('one.js', lossModule('one'));
    await mkdir(join(dirname(one), 'below'), { recursive: true });
    const two = await write('below/two.js', lossModule('two'));
    await write('below/parent.yaml', `use: [./two.js]\nloss: {name: two}\n${STAGES}`);
    const { recipe } = await load('extends: below/parent.yaml\nuse: [./one.js, below/../below/two.js]');
    expect(recipe.use).toEqual([two, one]);
    const path = await write('child.yaml', 'extends: below/parent.yaml\nuse: ~');
    await expect(loadRecipe(path)).resolves.toMatchObject({ recipe: { use: [] } });
  });

  test('the command line adds to it, from where the command runs', async () => {
    const path = await write('three.js', lossModule('three'));
    const recipe = await write('plain.yaml', STAGES);
    const set = await loadRecipe(recipe, { set: [`use=[${path}]`, 'loss=three'] });
    expect(set.recipe).toMatchObject({ use: [path], loss: { name: 'three' } });
    expect(set.origins.get('use')).toBe('--set');
    const used = await loadRecipe(recipe, {
      use: [path],
      set: ['loss.name=three', 'use=[./three.js]'],
    }).catch((error) => error);
    expect(used.message).toBe(`--set: use: ${join(process.cwd(), 'three.js')}: no such module`);
    const both = await loadRecipe(recipe, { use: [path], set: ['loss.name=three'] });
    expect(both.recipe).toEqual(set.recipe);
    expect(both.origins.get('use')).toBe('--module');
  });

  test('a module runs once, whatever it is called', async () => {
    const path = await write('four.js', lossModule('four'));
    const link = join(dirname(path), 'linked.js');
    await symlink(path, link);
    await Promise.all([loadModules([path]), loadModules([link, path])]);
    await loadModules([path]);
    expect(losses.names.filter((name) => name === 'four')).toHaveLength(1);
    expect(loadedModules().filter((module) => module.endsWith('four.js'))).toHaveLength(1);
  });

  test.each([
    ['no such module', undefined, 'my.yaml:2: use: F/bad.js: no such module'],
    ['broken', 'export default (', /^my\.yaml:2: use: F\/bad\.js: this module fails: /],
    [
      'without a function',
      'export const losses = [];',
      'my.yaml:2: use: F/bad.js: expected a function as the default export of the module',
    ],
    [
      'that throws',
      'export default () => { throw new Error("no GPU") };',
      'my.yaml:2: use: F/bad.js: this module fails: no GPU',
    ],
    [
      'that takes a name again',
      lossModule('hinge'),
      'my.yaml:2: use: F/bad.js: this module fails: loss "hinge": there is one of this name already',
    ],
    [
      'with an option that a setting has',
      lossModule('clash', 'weight: settings.whole(1)'),
      'clash: the option "weight" has the name of a setting beside it',
    ],
  ])('%s', async (name, code, message) => {
    const file = `${name.replaceAll(' ', '-')}.js`;
    if (code) await write(file, code);
    const found = await failure(
      `seed: 1\nuse: [${file}]\nloss: ${name.startsWith('with an') ? 'clash' : 'nll'}\n${STAGES}`,
    );
    const text = found.message.replace(/\/\S*\.js/, '/bad.js').replace(file, 'F/bad.js');
    const expected = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(text).toEqual(expected);
    expect(found.hint).toMatch(/./);
  });

  test('what is no list of paths', async () => {
    expect((await failure(`use: ./one.js\n${STAGES}`)).message).toBe(
      'my.yaml:1: use: expected a list of modules, got the text "./one.js"',
    );
    expect((await failure(`use: [3]\n${STAGES}`)).message).toBe(
      'my.yaml:1: use.0: expected the path of a module, got a number (3)',
    );
  });
});
