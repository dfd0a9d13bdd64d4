import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRecipe } from '../recipe/load.js';
import type { Recipe } from '../recipe/recipe.js';
import { joinRun, readRunDescription } from './run-description.js';
import { RunDirectory } from './run-directory.js';
import { withAbsoluteFiles } from './run-paths.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-run-modules-'));
});
afterAll(() => rm(folder, { recursive: true }));

const MODULE = `
  globalThis.modulesRun = (globalThis.modulesRun ?? 0) + 1;
  export default ({ losses }) => {
    losses.register({ name: 'mine', description: 'for a test', options: {}, create: () => losses.get('nll').create({}) });
  };`;

const modulesRun = (): unknown => (globalThis as { modulesRun?: number }).modulesRun;

/** A run whose recipe names a module, as another machine may have made it. */
async function runWith(loss: unknown): Promise<RunDirectory> {
  const stored = JSON.parse(
    await readFile(join(import.meta.dirname, 'earlier/bm25-then-nce-0.1.json'), 'utf8'),
  );
  const recipe = { ...stored.recipe, use: [join(folder, 'mine.mjs')], loss };
  await writeFile(join(folder, 'mine.mjs'), MODULE);
  await writeFile(join(folder, 'run.json'), JSON.stringify({ ...stored, recipe }));
  return new RunDirectory(folder);
}

test('looking at a run never runs its modules; taking part in it does', async () => {
  const loss = { name: 'mine', temperature: 0.05, weight: 1 };
  const run = await runWith({ ...loss, secret: 3 });
  const { recipe } = await readRunDescription(run);
  expect(recipe.loss).toEqual({ ...loss, secret: 3 });
  expect(modulesRun()).toBeUndefined();
  await expect(joinRun(run)).rejects.toThrow(/run\.json: recipe\.loss\.secret: unknown setting$/);
  expect(modulesRun()).toBe(1);
  expect((await joinRun(await runWith(loss))).recipe.loss).toEqual(loss);
  expect(modulesRun()).toBe(1);
});

test('a run that lacks its module cannot be trained', async () => {
  const run = await runWith({ name: 'mine', temperature: 0.05, weight: 1 });
  await rm(join(folder, 'mine.mjs'));
  await expect(joinRun(run)).rejects.toThrow(/mine\.mjs: no such module/);
});

test('files of every axis are absolute in a run', async () => {
  const { recipe } = await loadRecipe('bm25-then-nce', {
    set: [
      'stages.0.negatives=[{source: static, file: a.run}, {source: static, file: /b.run}]',
      'teacher={name: stored, file: scores/t.run}',
      'stages.1.teacher={name: stored, file: t2.run}',
      'stages.1.loss=margin-mse',
      'loss=[{name: nll}, {name: margin-mse}]',
    ],
  });
  const absolute = withAbsoluteFiles({ ...recipe, use: ['m.js'] } as Recipe);
  expect(absolute).toMatchObject({
    use: [resolve('m.js')],
    teacher: { file: resolve('scores/t.run') },
    stages: [
      { negatives: [{ file: resolve('a.run') }, { file: '/b.run' }] },
      { teacher: { file: resolve('t2.run') } },
    ],
  });
  expect(recipe.teacher.file).toBe('scores/t.run');
});
