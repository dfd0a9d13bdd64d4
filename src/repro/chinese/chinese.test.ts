import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRecipe } from '../../recipe/load.js';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { oneThread } from '../one-thread.fixture.js';
import { tableText } from '../table/report.js';
import { reproduceTable, type TableOptions } from '../table/table.js';
import { CHINESE, fromModel } from './rows.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-chinese-'));
  await writeSynonyms(join(folder, 'data'), { words: 9, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function options(more: Partial<TableOptions> = {}): TableOptions {
  return {
    table: CHINESE,
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'dev',
    out: join(folder, 'out'),
    stepFactor: 0.01,
    set: [
      'model={layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 300, maxLength: {query: 8, document: 8}}',
      'refresh.mode=lockstep',
    ],
    ...oneThread(),
    ...more,
  };
}

test('a row that goes on from another trains that one first and once, and counts its steps', async () => {
  const table = {
    ...CHINESE,
    // Texts of two words are no sentences.
    rows: CHINESE.rows.map((row) => ({
      ...row,
      set: row.set?.map((setting) =>
        setting.replace('examples=same-text', 'examples={name: same-text, minWords: 1}'),
      ),
    })),
  };
  const recipes = ['domain-simcse-in-batch', 'domain-simcse'];
  const made = await reproduceTable(options({ table, recipes }));
  expect(made.rows.map(({ system, steps }) => [system, steps])).toEqual([
    ['BM25', 0],
    ['untrained', 0],
    ['domain-adaptive', 40],
    ['domain-adaptive + SimCSE', 44],
    ['domain-adaptive + SimCSE + in-batch', 48],
  ]);
  expect((await readdir(join(folder, 'out'))).sort()).toEqual([
    'domain',
    'domain-simcse',
    'domain-simcse-in-batch',
  ]);
  expect(Object.keys(made.rows[0].measures)).toEqual(['R@1', 'R@5', 'R@10', 'R@20', 'R@50']);
  const text = tableText(made, 'text');
  expect(text).toContain('R@1 significantly higher');
  expect(text).not.toContain('rerank');

  const untouched = { ...options().supervise, onEvent: () => expect.fail('a row was trained again') };
  expect(await reproduceTable(options({ table, recipes, supervise: untouched }))).toEqual(made);
});

test('all rows load, from scratch and from a model', async () => {
  for (const { recipe, set = [] } of CHINESE.rows) {
    const scratch = await loadRecipe(recipe, { set: [...set] });
    expect(scratch.recipe.model).toMatchObject({ init: 'scratch', layers: 3 });
    const { model } = (await loadRecipe(recipe, { set: [...fromModel('some/folder'), ...set] })).recipe;
    expect(model.init).toBe('some/folder');
    expect(model.layers).toBeUndefined();
  }
});
