import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../base/errors.js';
import { parseEvents } from '../../run/events.js';
import { roomOf } from '../../run/room/room.js';
import { RunDirectory } from '../../run/run-directory.js';
import { writeSynonyms } from '../../train/synonyms.fixture.js';
import { oneThread } from '../one-thread.fixture.js';
import type { RowsCost } from '../table/rows-cost.js';
import { reproduceTable, type TableOptions } from '../table/table.js';
import { TABLE1 } from './rows.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-table1-'));
  await writeSynonyms(join(folder, 'data'), { words: 14, seed: 3 });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SMALL = [
  'model={init: scratch, layers: 1, hiddenSize: 32, heads: 2, vocabularySize: 300, maxLength: {query: 8, document: 8}}',
  'optimizer.learningRate=5e-3',
  'evaluation.when=end',
  'refresh.mode=lockstep',
];

function options(more: Partial<TableOptions> = {}): TableOptions {
  return {
    table: TABLE1,
    data: join(folder, 'data'),
    split: 'train',
    testSplit: 'dev',
    out: join(folder, 'out'),
    stepFactor: 0.1,
    set: SMALL,
    recipes: ['rand-neg', 'bm25-then-rand', 'ance-firstp'],
    ...oneThread(),
    ...more,
  };
}

test('rows start alike, take the same steps, are compared with each other and not trained twice', async () => {
  const costs: RowsCost[] = [];
  const onPlan = (cost: RowsCost): void => void costs.push(cost);
  const { rows } = await reproduceTable(options({ onPlan }));
  // The warm-up is a run of its own.
  expect(costs).toEqual([expect.objectContaining({ trainings: 4, steps: 90 })]);
  const { resultBytes, workBytes } = costs[0];
  expect(resultBytes).toBeGreaterThan(0);
  expect(workBytes).toBeGreaterThan(resultBytes / 4);
  expect(rows.map(({ system, steps }) => [system, steps])).toEqual([
    ['BM25', 0],
    ['untrained', 0],
    ['Rand Neg', 30],
    ['BM25 → Rand', 30],
    ['ANCE FirstP', 30],
  ]);
  const [bm25, start, rand, , ance] = rows;
  // Few queries share a word with their document here, so BM25 finds next to nothing to reorder.
  expect(bm25.measures['RR@10']).toBeLessThan(0.1);
  expect(ance.rerank?.['RR@10']).toBeLessThan(0.1);
  expect(rand.measures['RR@10']).toBeGreaterThan(start.measures['RR@10'] + 0.1);
  expect(ance.measures['RR@10']).toBeGreaterThan(start.measures['RR@10'] + 0.1);
  expect(ance.pValues['Rand Neg']).toBe(rand.pValues['ANCE FirstP']);
  expect(ance.pValues.untrained).toBeLessThan(0.05);

  const untouched = { ...options().supervise, onEvent: () => expect.fail('a row was trained again') };
  const again = await reproduceTable(options({ supervise: untouched, onPlan }));
  expect(again.rows).toEqual(rows);
  expect(costs[1].trainings).toBe(0);

  // Rows that are not named stay where they were made with the same settings, however the collection is typed.
  const data = relative(process.cwd(), options().data);
  const named = await reproduceTable(options({ data, recipes: ['bm25-then-rand'], supervise: untouched }));
  expect(named).toEqual(again);

  // Nothing is left that only a training that goes on would need.
  for (const name of await readdir(options().out)) {
    const run = new RunDirectory(join(options().out, name));
    expect((await roomOf(run)).removable).toEqual([]);
    expect(await run.steps('checkpoints')).toHaveLength(1);
    expect(existsSync(run.file('best', 'model.safetensors'))).toBe(true);
  }
  // Measured on other queries, everything is found that it needs.
  const other = await reproduceTable(options({ testSplit: 'train', supervise: untouched }));
  expect(other.rows.map(({ system }) => system)).toEqual(rows.map(({ system }) => system));

  await expect(reproduceTable(options({ set: [...SMALL, 'seed=7'] }))).rejects.toThrow(
    /rand-neg: this run was begun with another recipe:\nseed: \d+ → 7/,
  );
});

test('a row with a warm-up counts all of it, and is compared with the start of the warm-up', async () => {
  const out = join(folder, 'warmed');
  const recipes = ['bm25-then-rand'];
  const { rows } = await reproduceTable(options({ out, recipes }));
  const other = await reproduceTable(options());
  expect(rows[1]).toMatchObject({ system: 'untrained', measures: other.rows[1].measures });

  const runs = (await readdir(out)).map((name) => join(out, name, 'events', 'trainer.jsonl'));
  expect(runs).toHaveLength(2);
  const seconds = (await Promise.all(runs.map(stepSeconds))).flat();
  expect(seconds).toHaveLength(30);
  const sum = seconds.reduce((total, one) => total + one, 0);
  expect(rows[2].seconds).toBeCloseTo(sum, 6);

  // What a crash made it repeat counts once.
  for (const path of runs) await appendFile(path, await readFile(path, 'utf8'));
  expect((await reproduceTable(options({ out, recipes }))).rows[2].seconds).toBeCloseTo(sum, 6);

  // Made with other settings, it is in no table that is made with these.
  const set = [...SMALL, 'seed=7'];
  const seeded = await reproduceTable(options({ out, recipes: ['rand-neg'], set }));
  expect(seeded.rows.map(({ system }) => system)).toEqual(['BM25', 'untrained', 'Rand Neg']);
});

test('with seeds every row is trained with each, and queries are compared by their means over seeds', async () => {
  const out = join(folder, 'seeds');
  const recipes = ['rand-neg', 'ance-firstp'];
  const { rows } = await reproduceTable(options({ out, recipes, stepFactor: 0.003, seeds: [3, 4] }));
  const [bm25, start, rand, ance] = rows;
  expect(bm25.seeds ?? start.seeds).toBeUndefined();
  expect(rand.seeds?.map(({ seed }) => seed)).toEqual([3, 4]);
  const [first, second] = rand.seeds!.map(({ measures }) => measures['RR@10']);
  expect(first).not.toBe(second);
  expect(rand.measures['RR@10']).toBeCloseTo((first + second) / 2, 12);
  expect(ance.pValues['Rand Neg']).toBe(rand.pValues['ANCE FirstP']);

  // With one more seed, the other is as it was.
  const more = { seeds: [4, 5], onPlan: (cost: RowsCost) => expect(cost.trainings).toBe(2) };
  const next = await reproduceTable(options({ out, recipes, stepFactor: 0.003, ...more }));
  expect(next.rows[2].seeds?.[0]).toEqual(rand.seeds![1]);

  // One of the seeds by itself is the table that its seed alone makes.
  const alone = await reproduceTable(
    options({ out: join(out, 'seed-4'), recipes, stepFactor: 0.003, set: [...SMALL, 'seed=4'] }),
  );
  expect(alone.rows[2].measures).toEqual(rand.seeds![1].measures);
});

test.each([
  [
    { seeds: [3, 4], set: [...SMALL, 'seed=7'] },
    /by --seeds alone, got --set seed=7/,
    'leave one of them out',
  ],
  [{ seeds: [3, 3] }, /seeds that differ, got 3, 3/, 'name each once'],
  [
    { recipes: ['rand-neg', 'ance-frstp'] },
    /expected recipes .* got "ance-frstp"/,
    'did you mean ance-firstp?',
  ],
  [{ recipes: ['something'] }, /got "something"/, /^the rows are rand-neg, nce-neg, /],
  [
    { set: [...SMALL, 'evaluation.patience=1'] },
    /evaluation\.patience: expected 0, as all rows .* the same number of steps, got 1/,
    'leave it out of --set',
  ],
])('%j is refused before anything is trained', async (more, message, hint) => {
  const out = join(folder, 'refused');
  const error = await reproduceTable(options({ out, ...more })).catch((reason) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toMatch(message);
  expect(error.hint).toMatch(hint);
  expect(existsSync(out)).toBe(false);
});

async function stepSeconds(path: string): Promise<number[]> {
  const events = parseEvents(await readFile(path, 'utf8'));
  return events.flatMap((event) => (event.type === 'step' ? event.seconds : []));
}
