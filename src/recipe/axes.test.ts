import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { text, whole } from '../base/settings.js';
import { lossKind } from '../loss/loss.js';
import { axes, makers, tasks } from './axes.js';
import { AXES, type AxisName } from './axis-places.js';
import { diffRecipes } from './fingerprint.js';
import { formatConfig } from './format-config.js';
import { loadRecipe } from './load.js';
import type { Recipe } from './recipe.js';
import { recipeFolder } from './recipe-files.fixture.js';
import { recipeSchema } from './schema/schema.js';
import { lossesOf } from './stage-loss.js';

const { write, load, failure } = recipeFolder();

const STAGES = 'stages: [{name: a, steps: 300, negatives: [in-batch]}]';

beforeAll(() => {
  const build = axes.losses.get('nll').create({}).build;
  axes.losses.register(
    lossKind({
      name: 'filed',
      description: 'has to be given a file',
      options: { file: text('a path').describe('a file') },
      create: () => ({ name: 'filed', negatives: 'own', build }),
    }),
  );
  tasks.register({
    name: 'masks',
    description: 'without negatives',
    options: {},
    takes: ['examples', 'batch'],
  });
  makers.register({
    name: 'sort',
    description: 'for a test',
    options: { by: text().describe('by what'), depth: whole(1).default(3).describe('how deep') },
  });
});

describe('a choice', () => {
  test('may be its name alone', async () => {
    const { recipe, origins } = await load(
      'teacher: none\nexamples: labelled\nbatch: {order: shuffled}\nloss: hinge\n' +
        'stages: [{name: a, steps: 300, task: retrieval, negatives: [in-batch, bm25]}]',
    );
    expect(recipe).toMatchObject({
      teacher: { name: 'none' },
      examples: { name: 'labelled' },
      batch: { order: { name: 'shuffled' } },
      loss: { name: 'hinge', margin: 1 },
      stages: [{ task: { name: 'retrieval' }, negatives: [{ source: 'in-batch' }, { source: 'bm25' }] }],
    });
    expect(origins.get('teacher.name')).toMatch(/my\.yaml:1$/);
    expect(origins.get('stages.a.negatives.1.source')).toMatch(/my\.yaml:5$/);
    expect(origins.get('loss.margin')).toBe('default');
  });

  test('has the options of its kind only, and says what else the kind takes', async () => {
    const { recipe } = await load(
      'stages: [{name: a, steps: 9, negatives: [{source: in-batch, count: 0}, random]}]',
    );
    expect(recipe.stages[0].negatives).toEqual([{ source: 'in-batch' }, { source: 'random', count: 1 }]);
    expect(recipe.loss).toEqual({ name: 'infonce', temperature: 0.05, weight: 1 });
    expect(await failure(`loss: {name: nll, margin: 2}\n${STAGES}`)).toMatchObject({
      message: 'my.yaml:1: loss.margin: nll has no margin, got a number (2)',
      hint: 'nll takes temperature, weight, teacher',
    });
    expect(await failure(`loss: {name: hinge, cut: 2}\n${STAGES}`)).toMatchObject({
      message: 'my.yaml:1: loss.cut: hinge has no cut, got a number (2)',
      hint: 'hinge takes temperature, weight, teacher, margin',
    });
    expect(
      await failure('stages: [{name: a, steps: 9, negatives: [{source: in-batch, depth: 3}]}]'),
    ).toMatchObject({
      message: 'my.yaml:1: stages.a.negatives.0.depth: in-batch has no depth, got a number (3)',
      hint: 'in-batch takes no settings',
    });
  });

  test.each([
    [
      'teacher: nobody',
      'teacher.name: expected none, stored, cross-encoder, encoder or joint, got the text "nobody"',
    ],
    [
      'teacher: stord',
      'teacher.name: expected none, stored, cross-encoder, encoder or joint, got the text "stord"',
    ],
    ['teacher: 3', 'teacher: expected a mapping of settings, got a number (3)'],
    ['teacher: {file: x}', 'teacher.file: this teacher has no file, got the text "x"'],
    ['teacher: {name: stored}', 'teacher.file: expected a path, got nothing'],
    [
      'model: {head: {pooling: max}}',
      'model.head.pooling: expected first, mean, tokens, first-tokens, codes, token-weights, vocabulary or document-vocabulary, got the text "max"',
    ],
    [
      'model: {scorer: cosine}',
      'model.scorer: expected dot, max, max-sim, poly or impact, got the text "cosine"',
    ],
    ['loss: []', 'loss: expected a loss, or a list of losses, got an array of 0'],
    ['loss: [nll, {name: nll, wait: 2}]', 'loss.1.wait: unknown setting'],
    ['loss: [{weight: 0}]', 'loss.0.weight: expected a number above 0, got a number (0)'],
  ])('%s', async (yaml, message) => {
    expect((await failure(`${yaml}\n${STAGES}`)).message).toBe(`my.yaml:1: ${message}`);
  });

  test('of a kind that nobody registered', async () => {
    expect(await failure(`loss: squared\n${STAGES}`)).toMatchObject({
      message: expect.stringMatching(/^my\.yaml:1: loss\.name: expected nll, .* got the text "squared"$/),
      hint: 'a loss of your own comes from a module that the recipe names with use',
    });
  });

  test('of another kind takes over what that kind has, from parents and by --set', async () => {
    await write(
      'parent.yaml',
      `loss: {name: hinge, margin: 0.3, temperature: 0.1}\nteacher: {name: stored, file: x}\n${STAGES}`,
    );
    const { recipe } = await load('extends: parent.yaml\nloss: {name: nll}\nteacher: none');
    expect(recipe.loss).toEqual({ name: 'nll', temperature: 0.1, weight: 1 });
    expect(recipe.teacher).toEqual({ name: 'none' });
    const set = [
      'loss.name=infonce',
      'teacher=none',
      'stages.a.negatives=[{source: ann, depth: 7, margin: 1}]',
    ];
    expect(
      (await load('extends: parent.yaml', [...set, 'stages.a.negatives.ann.source=bm25'])).recipe,
    ).toMatchObject({
      loss: { name: 'infonce' },
      stages: [{ negatives: [{ source: 'bm25', depth: 7, margin: 1 }] }],
    });
    const { recipe: random } = await load('extends: parent.yaml', [...set, 'stages.a.negatives.0=random']);
    expect(random.stages[0].negatives).toEqual([{ source: 'random', count: 1 }]);
    expect(
      (await failure('extends: parent.yaml\nloss: {name: nll, margin: 0.5}\nteacher: none')).message,
    ).toBe('my.yaml:2: loss.margin: nll has no margin, got a number (0.5)');
  });

  test.each(Object.keys(AXES) as AxisName[])('%s: every value says what it is', (axis) => {
    for (const { name, description, options } of AXES[axis].registry.kinds) {
      expect(name).toMatch(/^[a-z][\w-]*$/);
      expect(description).toMatch(/./);
      for (const option of Object.values(options))
        expect(option).toHaveProperty('description', expect.any(String));
    }
  });
});

describe('losses', () => {
  const lossesOfStages = ({ recipe }: { recipe: Recipe }) =>
    recipe.stages.map((stage) => lossesOf(recipe, stage));
  const stage = (name: string, loss: string): string =>
    `  - {name: ${name}, steps: 300, negatives: [bm25]${loss && `, loss: ${loss}`}}\n`;

  test('a stage changes parts of the only one, replaces it by a list, or leaves it', async () => {
    const loaded = await load(
      `loss: {name: hinge, margin: 0.3, temperature: 0.1}\nstages:\n${stage('a', '')}${stage('b', 'nll')}${stage('c', '{margin: 0.4}')}${stage('d', '[{name: bce}, {name: hinge, weight: 2}]')}`,
    );
    expect(lossesOfStages(loaded)).toEqual([
      [{ name: 'hinge', temperature: 0.1, weight: 1, margin: 0.3 }],
      [{ name: 'nll', temperature: 0.1, weight: 1 }],
      [{ name: 'hinge', temperature: 0.1, weight: 1, margin: 0.4 }],
      [
        { name: 'bce', temperature: 0.05, weight: 1 },
        { name: 'hinge', temperature: 0.05, weight: 2, margin: 1 },
      ],
    ]);
    expect(loaded.recipe.stages.map(({ loss }) => loss)).toMatchObject([
      undefined,
      { name: 'nll' },
      { margin: 0.4 },
      {},
    ]);
    expect(loaded.recipe.stages[1].loss).toEqual({ name: 'nll' });
  });

  test("a stage's kind gets its defaults, not those of others", async () => {
    const loaded = await load(
      `loss: nll\nstages:\n${stage('a', '{name: hinge}')}${stage('b', '{name: lambda, cut: 7}')}`,
    );
    expect(lossesOfStages(loaded)).toMatchObject([
      [{ name: 'hinge', margin: 1 }],
      [{ name: 'lambda', cut: 7 }],
    ]);
    expect((await failure(`loss: nll\nstages:\n${stage('a', '{margin: 2}')}`)).message).toBe(
      'my.yaml:3: stages.a.loss.margin: this loss has no margin, got a number (2)',
    );
    expect((await failure(`loss: nll\nstages:\n${stage('a', 'filed')}`)).message).toBe(
      'my.yaml:3: stages.a.loss.file: expected a path, got nothing',
    );
  });

  test("of several there is none to change: a stage's stands alone", async () => {
    const loaded = await load(
      `loss: [{name: nll, temperature: 0.2}, bce]\nstages:\n${stage('a', '')}${stage('b', 'hinge')}`,
    );
    expect(lossesOfStages(loaded)).toEqual([
      [
        { name: 'nll', temperature: 0.2, weight: 1 },
        { name: 'bce', temperature: 0.05, weight: 1 },
      ],
      [{ name: 'hinge', temperature: 0.05, weight: 1, margin: 1 }],
    ]);
  });

  test('--set names them; origins of each are told', async () => {
    const { recipe, origins } = await load(
      `loss: [nll, {name: bce, weight: 0.5}]\nstages:\n${stage('a', '')}`,
      ['loss.bce.weight=0.25', 'loss.0.temperature=0.1'],
    );
    expect(recipe.loss).toMatchObject([{ temperature: 0.1 }, { weight: 0.25 }]);
    expect(origins.get('loss.1.weight')).toBe('--set');
    expect(origins.get('loss.1.name')).toMatch(/my\.yaml:1$/);
    expect(origins.get('loss.0.weight')).toBe('default');
  });
});

describe('stages', () => {
  test('one that makes data has no steps and says nothing of learning', async () => {
    const { recipe } = await load(
      'stages: [{name: m, make: {name: sort, by: size}}, {name: a, steps: 300, negatives: [in-batch]}]',
    );
    expect(recipe.stages[0]).toEqual({
      name: 'm',
      steps: 0,
      task: { name: 'retrieval' },
      make: { name: 'sort', by: 'size', depth: 3 },
      negatives: [],
      freeze: [],
    });
  });

  test.each([
    [
      'make: {name: sort, by: x}, steps: 3',
      'steps: expected no steps, as the stage makes data, got a number (3)',
    ],
    [
      'make: {name: sort, by: x}, negatives: [bm25]',
      'negatives: expected no sources, as nothing here learns from negatives, got an array of 1',
    ],
    ['make: sort', 'make.by: expected a text, got nothing'],
    ['make: {name: sort, by: x}, loss: nll', 'loss: a stage that makes data has no loss'],
    ['make: {name: sort, by: x}, freeze: [head]', 'freeze: a stage that makes data has no freeze'],
    [
      'steps: 3, task: masks, negatives: [bm25]',
      'negatives: expected no sources, as nothing here learns from negatives, got an array of 1',
    ],
    ['steps: 3, task: masks, loss: nll', 'loss: the task masks has no loss'],
    ['task: masks', 'steps: expected a whole number from 1, got nothing'],
    ['steps: 3', 'negatives: expected a list of sources, got nothing'],
  ])('{%s}', async (fields, message) => {
    expect((await failure(`stages: [{name: a, ${fields}}]`)).message).toBe(`my.yaml:1: stages.a.${message}`);
  });

  test('a task without negatives', async () => {
    const { recipe } = await load('stages: [{name: a, steps: 3, task: masks}]');
    expect(recipe.stages[0]).toMatchObject({ task: { name: 'masks' }, negatives: [] });
  });
});

test('a scorer for pieces, where there are any', async () => {
  expect((await load(STAGES)).recipe.model.scorer).toBe('dot');
  expect((await load(`model: {passages: {mode: max, pieces: 2}}\n${STAGES}`)).recipe.model.scorer).toBe(
    'max',
  );
});

describe('kinds that are not registered', () => {
  test('stop a recipe, and pass where a run is looked at, with their options as they are', async () => {
    const { recipe } = await load('stages: [{name: a, steps: 9, negatives: [in-batch]}]');
    const foreign = {
      ...recipe,
      use: ['/somewhere/else.js'],
      model: { ...recipe.model, head: { pooling: 'sum', power: 2 }, scorer: 'theirs', codes: 16 },
      loss: [{ name: 'mine', temperature: 1, weight: 1, steep: true }],
      teacher: { name: 'ours', models: ['a'] },
      stages: [{ ...recipe.stages[0], task: { name: 'chess' }, negatives: [{ source: 'near', within: 3 }] }],
    };
    expect(recipeSchema().safeParse(foreign).success).toBe(false);
    const read = recipeSchema({ unknownKinds: true });
    expect(read.parse(foreign)).toEqual(foreign);
    expect(read.parse(recipe)).toEqual(recipe);
    expect(read.safeParse({ ...foreign, refresh: { mode: 'sometimes' } }).success).toBe(false);
  });
});

/** Any choice along the axes that loads. */
const anyRecipe = fc
  .record({
    loss: fc.constantFrom(
      'nll',
      { name: 'hinge', margin: 0.2 },
      ['bce', { name: 'ranknet', weight: 2 }],
      'margin-mse',
    ),
    sources: fc.uniqueArray(fc.constantFrom('in-batch', 'random', 'bm25', 'ann'), { minLength: 1 }),
    stageLoss: fc.constantFrom(undefined, 'nll', { temperature: 0.2 }, [{ name: 'hinge' }]),
    towers: fc.constantFrom('shared', 'two'),
    pieces: fc.constantFrom(1, 3),
    freeze: fc.subarray(['embeddings', 'layers.0', 'layers.1-2', 'head']),
    pooling: fc.constantFrom(undefined, 'first', 'mean'),
  })
  .map(({ loss, sources, stageLoss, towers, pieces, freeze, pooling }) => ({
    model: {
      towers,
      passages: { mode: pieces > 1 ? 'max' : 'first', pieces },
      ...(pooling && { head: { pooling } }),
    },
    loss,
    teacher: { name: 'stored', file: 'scores.run' },
    stages: [
      { name: 'a', steps: 9, negatives: sources, freeze, ...(stageLoss && { loss: stageLoss }) },
      { name: 'b', make: { name: 'sort', by: 'size' } },
    ],
  }));

test('what --print-config prints loads again as the same', async () => {
  await fc.assert(
    fc.asyncProperty(anyRecipe, async (said) => {
      const { recipe, origins } = await load(stringify(said));
      const again = await loadRecipe(await write('again.yaml', formatConfig(recipe, origins)));
      expect(again.recipe).toEqual({ ...recipe, name: 'my' });
      expect(diffRecipes(recipe, again.recipe)).toEqual([]);
      expect(
        [...origins.values()].every((origin) => origin === 'default' || /my\.yaml:\d+$/.test(origin)),
      ).toBe(true);
      expect(recipeSchema({ unknownKinds: true }).parse(recipe)).toEqual(recipe);
    }),
    { numRuns: 40 },
  );
});
