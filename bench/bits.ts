// Whether another checkout, built, learns the same: recipes trained by both in lockstep, one thread for each process, and
// their last weights compared bit for bit. `--data` is split anew, as not every collection has a dev split.
// npm run bench:bits -- OTHER_CHECKOUT --data DIR [--recipes tiny,rand-neg,ance-firstp] [--steps 30] [--documents 1500 --queries 400]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadRecipe } from '../src/recipe/load.js';
import { exitOf } from '../test/kill.fixture.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    recipes: { type: 'string', default: 'tiny,rand-neg,ance-firstp' },
    steps: { type: 'string', default: '30' },
    documents: { type: 'string' },
    queries: { type: 'string', default: '400' },
  },
});
const [other] = positionals;
if (!other || !values.data) throw new Error('expected another checkout, and --data');
const checkouts = { here: resolve(import.meta.dirname, '..'), other: resolve(other) };
const folder = mkdtempSync(join(tmpdir(), 'nearmiss-bits-'));

async function nearmiss(checkout: string, args: readonly string[]): Promise<void> {
  const cli = join(checkout, 'dist/cli/main.js');
  const code = await exitOf(
    spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  if (code !== 0) throw new Error(`${cli} ${args.join(' ')} ended with exit code ${code}`);
}

/** The same collection for both. */
async function prepareData(source: string): Promise<string> {
  const [sample, split] = [join(folder, 'sample'), join(folder, 'data')];
  if (values.documents) {
    const size = ['--documents', values.documents, '--queries', values.queries];
    await nearmiss(checkouts.here, ['data', 'sample', source, sample, ...size]);
  }
  await nearmiss(checkouts.here, ['data', 'split', values.documents ? sample : source, split]);
  return split;
}

/** A recipe of one stage takes as many steps as asked for; those of several have their own. */
async function settingsOf(name: string): Promise<string[]> {
  const { recipe } = await loadRecipe(name);
  const [stage, ...others] = recipe.stages;
  const settings = ['refresh.mode=lockstep', `checkpoint.every=${Math.ceil(Number(values.steps) / 3)}`];
  if (others.length === 0) settings.push(`stages.${stage.name}.steps=${values.steps}`);
  return settings.flatMap((setting) => ['--set', setting]);
}

/** SHA-256 of the weights in a run's last checkpoint, whatever towers it has. */
function lastWeights(run: string): string {
  const checkpoints = join(run, 'checkpoints');
  const last = join(checkpoints, readdirSync(checkpoints).sort().at(-1)!);
  const files = readdirSync(last, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('model.safetensors'))
    .sort();
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(last, file)));
  return hash.digest('hex');
}

try {
  const data = await prepareData(values.data);
  const result: Record<string, { same: boolean; weights: Record<string, string> }> = {};
  for (const recipe of values.recipes.split(',')) {
    const weights: Record<string, string> = {};
    for (const [name, checkout] of Object.entries(checkouts)) {
      const run = join(folder, `${recipe}-${name}`);
      const threads = ['--trainer-threads', '1', '--inferencer-threads', '1', '--quiet'];
      const settings = await settingsOf(recipe);
      await nearmiss(checkout, [
        'train',
        '--data',
        data,
        '--recipe',
        recipe,
        '--out',
        run,
        ...settings,
        ...threads,
      ]);
      weights[name] = lastWeights(run);
      rmSync(run, { recursive: true });
    }
    result[recipe] = { same: weights.here === weights.other, weights };
    process.stderr.write(`${recipe}: ${result[recipe].same ? 'the same bits' : 'DIFFERENT bits'}\n`);
  }
  console.log(
    JSON.stringify({ documents: values.documents ?? 'all', steps: Number(values.steps), recipes: result }),
  );
  process.exitCode = Object.values(result).every(({ same }) => same) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
