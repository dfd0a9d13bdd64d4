import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { div, mul, reduceSum, relu, sub } from '../engine/index.js';
import { type LossInputs, losses, lossKind } from '../loss/index.js';
import { readRunDescription } from '../run/run-description.js';
import { RunDirectory } from '../run/run-directory.js';
import { openSearcher } from '../search/index.js';
import { train } from './train.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-train-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const WORDS = 'ant bee cat dog elk fox gnu hen ibis jay koi lynx mole newt owl pig'.split(' ');
const PAIRS = WORDS.map((word, i) => ({
  query: `where does the ${word} live`,
  document: `the ${word} lives in house ${i}`,
}));

test('a test split that is not there is told before anything is trained', async () => {
  const out = join(folder, 'no-test');
  const recipe = { extends: 'tiny', stages: [{ name: 'learn', steps: 4, negatives: ['in-batch'] }] };
  await expect(train({ data: PAIRS, recipe, out, testSplit: 'tset', inProcess: true })).rejects.toThrow(
    /no split "tset" to measure on, only train, dev/,
  );
  const run = new RunDirectory(out);
  expect((await readRunDescription(run)).recipe.stages[0].steps).toBe(4);
  expect(await run.steps('checkpoints')).toEqual([]);
});

test('pairs in memory, a recipe object and a loss of this program', async () => {
  let built = 0;
  const squaredHinge = lossKind({
    name: 'test-squared-hinge',
    description: 'max(0, 1 − (s⁺ − s⁻))²',
    options: {},
    create: () => ({
      name: 'test-squared-hinge',
      negatives: 'batch',
      build({ scores, positive, negative }: LossInputs) {
        built++;
        const best = reduceSum(mul(scores, positive), { axes: [1], keepDims: true });
        const short = relu(sub(1, sub(best, scores)));
        return div(reduceSum(mul(negative, mul(short, short))), reduceSum(negative));
      },
    }),
  });
  const out = join(folder, 'own-loss');
  const roles = new Set<string>();
  const { finished, checkpoint } = await train({
    data: PAIRS,
    recipe: { extends: 'tiny', seed: 7, stages: [{ name: 'learn', steps: 4, negatives: ['in-batch'] }] },
    loss: 'test-squared-hinge',
    kinds: { losses: [squaredHinge] },
    out,
    onEvent: (role) => roles.add(role),
  });
  expect(finished).toBe(true);
  expect(checkpoint?.measures).toHaveProperty('RR@10');
  expect(built).toBeGreaterThan(0);
  expect([...roles].sort()).toEqual(['inferencer', 'trainer']);
  expect(losses.find('test-squared-hinge')).toBeUndefined();
  const { recipe } = await readRunDescription(new RunDirectory(out));
  expect(recipe).toMatchObject({ seed: 7, loss: { name: 'test-squared-hinge' }, stages: [{ steps: 4 }] });
  expect(await readFile(join(out, 'recipe.yaml'), 'utf8')).toContain('chosen');
  const searcher = await openSearcher(out);
  const [hit] = await searcher.search('where does the ant live', { mode: 'bm25' });
  await searcher.close();
  expect(hit.text).toBe('the ant lives in house 0');
});

test('what is chosen holds for every stage; a function in a recipe is refused', async () => {
  const out = join(folder, 'chosen');
  const begin = (): ReturnType<typeof train> =>
    train({
      data: PAIRS,
      recipe: 'tiny',
      loss: { name: 'hinge', margin: 2 },
      negatives: [{ source: 'random', count: 2 }],
      out,
      signal: AbortSignal.abort(),
    });
  await begin();
  const { recipe } = await readRunDescription(new RunDirectory(out));
  expect(recipe.loss).toMatchObject({ name: 'hinge', margin: 2 });
  for (const stage of recipe.stages) {
    expect(stage.negatives).toMatchObject([{ source: 'random', count: 2 }]);
    expect(stage.loss).toBeUndefined();
  }
  // The same pairs again: the run goes on.
  await begin();
  const wrong = { extends: 'tiny', loss: { name: 'hinge', margin: () => 1 } };
  await expect(train({ data: PAIRS, recipe: wrong, out })).rejects.toThrow(
    'recipe: loss.margin: expected a value, got a function',
  );
});
