/**
 * What labelling costs the first recipe that asks a teacher, and the second one, which finds its scores on the disk. One JSON line.
 *
 *   npm run bench:labels -- --data ../shared/data/scifact --depth 10
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadRecipe } from '../src/recipe/load.js';
import { parseEvents } from '../src/run/events.js';

const { values } = parseArgs({
  options: { data: { type: 'string' }, depth: { type: 'string', default: '30' } },
});
if (values.data === undefined) throw new Error('--data DIR is missing');
const RECIPES = ['margin-mse', 'kl'] as const;
// Here, for a recipe refuses fewer candidates than it learns from only when its turn comes.
for (const name of RECIPES) {
  const negatives = (await loadRecipe(name)).recipe.stages.flatMap((stage) => stage.negatives ?? []);
  const fewest = Math.max(...negatives.map(({ count }) => count ?? 1));
  if (!(Number(values.depth) >= fewest)) {
    throw new Error(`--depth: expected ${fewest} or more, which ${name} learns from, got ${values.depth}`);
  }
}
const data = resolve(values.data);
const folder = mkdtempSync(join(tmpdir(), 'nearmiss-labels-'));

function nearmiss(...args: string[]): void {
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../dist/cli/main.js'), ...args], {
    cwd: folder,
    env: { ...process.env, NEARMISS_CACHE: join(folder, 'cache') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Trains for a step and looks at what its stage `label` took. */
function label(recipe: string): { pairs: number; seconds: number } {
  const set = [
    'stages.label.make.models=[teacher/start]',
    `stages.label.make.depth=${values.depth}`,
    `stages.train.negatives.0.depth=${values.depth}`,
    'stages.train.steps=1',
  ].flatMap((setting) => ['--set', setting]);
  nearmiss('train', '--data', data, '--recipe', recipe, '--out', recipe, '--quiet', ...set);
  const events = parseEvents(readFileSync(join(folder, recipe, 'events/trainer.jsonl'), 'utf8'));
  const made = events.find((event) => event.type === 'made' && event.maker === 'label');
  if (made?.type !== 'made') throw new Error(`${recipe}: nothing was labelled`);
  return { pairs: made.figures!.pairs, seconds: made.seconds };
}

try {
  // As good as any for this: how long it reads does not depend on what it has learned.
  nearmiss('train', '--data', data, '--recipe', 'reranker', '--out', 'teacher', '--create-only');
  const [first, second] = RECIPES.map(label);
  const share = Number((second.seconds / first.seconds).toFixed(4));
  console.log(JSON.stringify({ pairs: first.pairs, first: first.seconds, second: second.seconds, share }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
