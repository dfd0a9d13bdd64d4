import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emitOnnx, Graph, Session } from '../src/engine/index.js';
import { optimizerConformance } from '../src/engine/optimizer/optimizer.conformance.js';
import { orders } from '../src/examples/index.js';
import { losses } from '../src/loss/index.js';
import { axes } from '../src/recipe/axes.js';
import { loadRecipe } from '../src/recipe/load.js';
import { parseEvents } from '../src/run/events.js';
import { writeSynonyms } from '../src/train/synonyms.fixture.js';

const folder = resolve(import.meta.dirname, '../examples/axes');
const recipes = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

let work: string;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'nearmiss-axes-'));
  await writeSynonyms(join(work, 'data'), { words: 10, seed: 3 });
});
afterAll(() => rm(work, { recursive: true, force: true }));

/** Which axis each example adds a value to. */
const ADDS: Record<string, { axis: keyof typeof axes; value: string }> = {
  'examples.yaml': { axis: 'examples', value: 'beginnings' },
  'loss.yaml': { axis: 'losses', value: 'squared-hinge' },
  'maker.yaml': { axis: 'makers', value: 'shared-letters' },
  'negatives.yaml': { axis: 'negatives', value: 'nearby' },
  'optimizer.yaml': { axis: 'optimizers', value: 'lion' },
  'order.yaml': { axis: 'orders', value: 'neighbours' },
  'pooling.yaml': { axis: 'representations', value: 'fading-mean' },
  'scorer.yaml': { axis: 'scorers', value: 'mean-piece' },
  'task.yaml': { axis: 'tasks', value: 'steady-pairs' },
  'teacher.yaml': { axis: 'teachers', value: 'shared-letters' },
  'token-rows.yaml': { axis: 'representations', value: 'every-other' },
};

test('there is an example for each axis', () => {
  expect(recipes.toSorted()).toEqual(Object.keys(ADDS));
  const { engine, settings, ...registries } = axes;
  const added = new Set(Object.values(ADDS).map(({ axis }) => axis));
  expect([...added]).toEqual(Object.keys(registries).toSorted());
});

test.each(recipes)('%s: `nearmiss train` learns with it', async (name) => {
  const out = join(work, name);
  const command = resolve(import.meta.dirname, '../dist/cli/main.js');
  const faster = [
    '--set',
    'optimizer.learningRate=5e-3',
    '--set',
    'stages.train.steps=40',
    '--set',
    'checkpoint.every=20',
  ];
  const flags = [
    '--data',
    join(work, 'data'),
    '--recipe',
    join(folder, name),
    '--out',
    out,
    '--quiet',
    '--json',
  ];
  const threads = ['--trainer-threads', '1', '--inferencer-threads', '1'];
  await promisify(execFile)(process.execPath, [command, 'train', ...flags, ...threads, ...faster]);
  const events = parseEvents(await readFile(join(out, 'events/trainer.jsonl'), 'utf8'));
  const lost = events.flatMap((event) => (event.type === 'step' ? event.loss : []));
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(lost).toHaveLength(40);
  expect(mean(lost.slice(-8)), `losses ${lost.map((loss) => loss.toFixed(2)).join(' ')}`).toBeLessThan(
    0.95 * mean(lost.slice(0, 8)),
  );
  const evaluated = parseEvents(await readFile(join(out, 'events/inferencer.jsonl'), 'utf8'));
  expect(evaluated.filter(({ type }) => type === 'evaluation')).toHaveLength(3);
});

test.each(recipes)('%s loads with its module', async (name) => {
  const { recipe, warnings } = await loadRecipe(join(folder, name));
  expect(recipe.use).toEqual([join(folder, name.replace('.yaml', '.js'))]);
  expect(warnings).toEqual([]);
  const { axis, value } = ADDS[name];
  expect((axes[axis] as { names: string[] }).names).toContain(value);
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

await loadRecipe(join(folder, 'optimizer.yaml'));
optimizerConformance(axes.optimizers.get('lion'));

test('order.js: neighbours together, and every query once in an epoch', async () => {
  await loadRecipe(join(folder, 'order.yaml'));
  const [count, queries, accumulate] = [32, 3, 2];
  const order = await orders
    .get('neighbours')
    .open({}, { count, queries, accumulate, seed: 7, stage: 0, locate: async (file) => file });
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
