import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRecipe } from '../../recipe/load.js';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { oneThread } from '../one-thread.fixture.js';
import { reproduceTable, type Table } from '../table/table.js';
import { LATE } from './rows.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-repro-late-'));
  await writeSynonyms(join(folder, 'data'), { words: 9, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function reproduce(row: string, set: readonly string[] = []): Promise<Table> {
  return reproduceTable({
    table: LATE,
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'dev',
    out: join(folder, row),
    stepFactor: 0.1,
    set: [
      'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 300, maxLength: {query: 8, document: 8}}',
      ...[
        'optimizer.learningRate=5e-3',
        'refresh.mode=lockstep',
        'checkpoint.every=10',
        'evaluation.when=end',
      ],
      ...set,
    ],
    recipes: [row],
    ...oneThread(),
  });
}

// Its negatives come from its own index of tokens, which is made anew every ten steps.
test('ColBERT learns with negatives of its own index', async () => {
  const head = ['queryMarker', 'documentMarker'].map((marker) => `model.head.${marker}=false`);
  const { rows } = await reproduce('colbert', [
    ...head,
    'model.head.fillQueries=0',
    'model.head.projection=16',
  ]);
  const [, start, colbert] = rows;
  expect(colbert).toMatchObject({ system: 'ColBERT', steps: 30 });
  expect(colbert.measures['RR@10']).toBeGreaterThan(start.measures['RR@10'] + 0.05);
});

test('all rows are recipes that load, and take the same number of steps', async () => {
  for (const { name, recipe, set = [] } of LATE.rows) {
    const { stages } = (await loadRecipe(recipe, { set: [...set] })).recipe;
    expect([name, stages.reduce((sum, { steps }) => sum + steps, 0)]).toEqual([name, 300]);
  }
});
