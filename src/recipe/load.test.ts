import { describe, expect, test } from 'vitest';
import { loadRecipe } from './load.js';
import { recipeFolder } from './recipe-files.fixture.js';

const { write, load, failure } = recipeFolder();

const STAGES = 'stages: [{name: ance, steps: 300, negatives: [{source: ann}]}]';

describe('what is left out', () => {
  test('gets a default, and says so', async () => {
    const { recipe, origins } = await load(`${STAGES}\nseed: 7`);
    expect(recipe).toMatchObject({
      name: 'my',
      seed: 7,
      model: { init: 'minilm' },
      evaluation: { best: 'RR@10' },
    });
    expect(recipe.stages[0].negatives[0]).toMatchObject({ count: 1, depth: 200, sampling: 'uniform' });
    expect(origins.get('seed')).toMatch(/my\.yaml:2$/);
    expect(origins.get('stages.ance.steps')).toMatch(/my\.yaml:1$/);
    expect(origins.get('optimizer.learningRate')).toBe('default');
  });

  test('the first measure decides which checkpoint is best', async () => {
    const { recipe } = await load(`${STAGES}\nevaluation: {measures: [nDCG@5, RR@10]}`);
    expect(recipe.evaluation.best).toBe('nDCG@5');
  });

  test('null is as if nothing had been said', async () => {
    const { recipe, origins } = await load('extends: base\nmodel: {layers: null, dropout: ~}\nseed:\n');
    expect(recipe.model).not.toHaveProperty('layers');
    expect(recipe.model).not.toHaveProperty('dropout');
    expect(recipe.model.maxLength.document).toBe(96);
    expect(origins.get('seed')).toBe('default');
  });
});

describe('extends', () => {
  test('merges mappings, replaces lists, keeps the name and description of the child', async () => {
    await write('parent.yaml', 'extends: ance-maxp\nname: parent\ndescription: old\nbatch: {queries: 16}\n');
    const { recipe, origins } = await load(
      'extends: parent.yaml\nbatch: {accumulate: 2}\nevaluation: {measures: [AP]}',
    );
    expect(recipe).toMatchObject({
      name: 'my',
      description: '',
      evaluation: { measures: ['AP'], best: 'AP' },
    });
    expect(recipe.batch).toEqual({
      queries: 16,
      accumulate: 2,
      cacheTokens: 8192,
      order: { name: 'shuffled' },
    });
    expect(recipe.stages.map(({ name }) => name)).toEqual(['ance']);
    expect(origins.get('batch.queries')).toMatch(/parent\.yaml:4$/);
    expect(origins.get('batch.cacheTokens')).toBe('recipes/ance-maxp.yaml:11');
    expect(origins.get('stages.ance.steps')).toBe('recipes/ance-firstp.yaml:9');
  });

  test('a circle is an error', async () => {
    await write('a.yaml', 'extends: my.yaml\n');
    expect((await failure('extends: a.yaml')).message).toBe(
      'my.yaml: extends itself: my.yaml → a.yaml → my.yaml',
    );
  });

  test('an unknown parent is an error at its line', async () => {
    expect(await failure('seed: 1\nextends: ance-frstp\n')).toMatchObject({
      message: 'my.yaml:2: extends: ance-frstp: no built-in recipe of this name',
      hint: expect.stringMatching(/^did you mean ance-firstp\? There are .*\badore, ance-firstp, /),
    });
    expect((await failure('extends: [a, b]')).message).toBe(
      'my.yaml:1: extends: expected the name or path of one recipe',
    );
  });
});

describe('errors name file, line, path, expected and got', () => {
  test.each([
    [
      'unknown key',
      'model:\n  lyers: 3',
      'my.yaml:2: model.lyers: unknown setting',
      'did you mean model.layers?',
    ],
    [
      'key in the wrong place',
      'learningRate: 1',
      'my.yaml:1: learningRate: unknown setting',
      'did you mean optimizer.learningRate?',
    ],
    [
      'key from nowhere',
      'model: {banana: 1}',
      'my.yaml:1: model.banana: unknown setting',
      expect.stringMatching(/^model takes kind, init, layers, /),
    ],
    [
      'wrong type',
      '\noptimizer:\n  learningRate: fast',
      'my.yaml:3: optimizer.learningRate: expected a number above 0, got the text "fast"',
      undefined,
    ],
    [
      'wrong choice',
      'loss: {name: infonec}',
      'my.yaml:1: loss.name: expected nll, infonce, bce, hinge, ranknet, margin-mse, margin-mse-in-batch, margin-fit, kl, embedding-mse, lambda, flops or matryoshka, got the text "infonec"',
      'did you mean infonce?',
    ],
    [
      'out of range',
      'loss: {temperature: 0}',
      'my.yaml:1: loss.temperature: expected a number above 0, got a number (0)',
      undefined,
    ],
    [
      'not whole',
      'batch: {queries: 1.5}',
      'my.yaml:1: batch.queries: expected a whole number from 1, got a number (1.5)',
      undefined,
    ],
    [
      'not a mapping',
      'model: minilm',
      'my.yaml:1: model: expected a mapping of settings, got the text "minilm"',
      undefined,
    ],
    [
      'unknown measure',
      'evaluation:\n  measures:\n    - RR@10\n    - nDGC@10',
      'my.yaml:4: evaluation.measures.1: unknown measure "nDGC@10"',
      'did you mean nDCG@10?',
    ],
  ])('%s', async (_, yaml, message, hint) => {
    const found = await failure(`${yaml}\n${STAGES}`);
    expect(found).toMatchObject({ name: 'NearmissError', message });
    expect(found.hint).toEqual(hint);
  });

  test('all problems at once', async () => {
    expect((await failure('sed: 1\nstages:\n  - name: a b\n    steps: 0\n    negatives: []')).message).toBe(
      [
        'my.yaml: 4 problems',
        '  my.yaml:3: stages.a b.name: expected a name of letters, digits, - and _, a letter first, got the text "a b"',
        '  my.yaml:4: stages.a b.steps: expected a whole number from 1, got a number (0)',
        '  my.yaml:5: stages.a b.negatives: expected a list of sources, got an array of 0',
        '  my.yaml:1: sed: unknown setting (did you mean seed?)',
      ].join('\n'),
    );
  });

  test('no stages', async () => {
    expect((await failure('seed: 1')).message).toBe(
      'my.yaml: stages: expected a list of stages, got nothing',
    );
  });

  test.each([
    ['seed: 1\nseed: 2', 'my.yaml:2: not valid YAML: Map keys must be unique'],
    ['a: [1,\nb: 2', /^my\.yaml:\d: not valid YAML: /],
    ['- 1', 'my.yaml: expected a mapping of settings, got a list'],
    ['', 'my.yaml: expected a mapping of settings, got nothing'],
    ['model: &m {layers: 3}\nloss: *m', 'my.yaml:2: recipes know no YAML aliases, got *m'],
    ['seed: !!python/name 1', /^my\.yaml:1: not valid YAML: Unresolved tag/],
  ])('broken file %#', async (yaml, message) => {
    expect((await failure(yaml)).message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  test('no such recipe, no such file', async () => {
    await expect(loadRecipe('ance')).rejects.toThrow('ance: no built-in recipe of this name');
    await expect(loadRecipe('nowhere/x.yaml')).rejects.toThrow('nowhere/x.yaml: no such file');
  });
});

describe('--set', () => {
  test('names stages and sources, by name or number; later ones win', async () => {
    const { recipe, origins } = await loadRecipe('ance-firstp', {
      set: [
        'stages.ance.steps=1',
        'stages.0.steps=250',
        'stages.ance.negatives.ann.depth=100',
        'stages.ance.optimizer.learningRate=1e-6',
        'model.head={pooling: first}',
        'evaluation.measures=[R@5]',
        'model.layers=null',
      ],
    });
    expect(recipe.stages[0]).toMatchObject({
      steps: 250,
      negatives: [{}, { source: 'ann', depth: 100 }],
      optimizer: { learningRate: 1e-6 },
    });
    expect(recipe.model).toMatchObject({ init: 'minilm', head: { pooling: 'first' } });
    expect(recipe.model.layers).toBeUndefined();
    expect(recipe.evaluation).toMatchObject({ measures: ['R@5'], best: 'R@5' });
    expect(origins.get('stages.ance.steps')).toBe('--set');
    expect(origins.get('stages.ance.name')).toBe('recipes/ance-firstp.yaml:8');
  });

  test.each([
    ['model.lyers=3', '--set: model.lyers: unknown setting', 'did you mean model.layers?'],
    ['optimiser.learningRate=1', '--set: optimiser: unknown setting', 'did you mean optimizer?'],
    [
      'stages.anse.steps=3',
      '--set stages.anse.steps=3: nothing is called "anse" in this list',
      'did you mean ance?',
    ],
    [
      'stages.7.steps=3',
      '--set stages.7.steps=3: nothing is called "7" in this list',
      'there are ance, or 0 to 0',
    ],
    ['seed=x', '--set: seed: expected a whole number from 0, got the text "x"', undefined],
    ['seed.low=1', '--set seed.low=1: there is nothing below 7, got "low"', undefined],
    ['seed', '--set seed: expected path=value', expect.stringContaining('for example')],
    ['seed=', '--set seed=: expected path=value', expect.stringContaining('for example')],
    ['=3', '--set =3: expected path=value', expect.stringContaining('for example')],
    ['seed=[', expect.stringMatching(/^--set seed=\[: not valid YAML: /), expect.stringContaining('quote')],
  ])('%s is wrong usage', async (argument, message, hint) => {
    const found = await failure(`seed: 7\n${STAGES}`, [argument]);
    expect(found).toMatchObject({ name: 'UsageError', message });
    expect(found.hint).toEqual(hint);
  });

  test('a mistake of the file is not blamed on the command line', async () => {
    expect((await failure(`seed: x\n${STAGES}`, ['model.lyers=3'])).name).toBe('NearmissError');
  });
});
