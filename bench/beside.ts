// The Trainer's speed while the Inferencer works beside it, each with its share of the cores, against the same steps
// alone. Four phases alternate (alone, beside, alone, beside), so that a drift of the machine does not decide.
// npm run bench:beside -- [--data ../shared/data/medquad] [--steps 30] [--threads 1]
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseEvents } from '../src/train/events.js';
import { fingerprintRecipe } from '../src/train/recipe/fingerprint.js';
import { loadRecipe } from '../src/train/recipe/load.js';
import { createRun, openRun } from '../src/train/run-setup.js';
import { exitOf } from '../test/kill.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: resolve(import.meta.dirname, '../../shared/data/medquad') },
    steps: { type: 'string', default: '30' },
    threads: { type: 'string', default: '1' },
  },
});
if (!existsSync(values.data)) throw new Error(`${values.data}: no such collection; name one with --data`);
const steps = Number(values.steps);
const folder = mkdtempSync(join(tmpdir(), 'nearmiss-beside-'));

function startRole(role: 'trainer' | 'inferencer', run: string): ChildProcess {
  return spawn(process.execPath, [CLI, role, run, '--threads', values.threads], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Seconds of each step, without those that warm up. */
function stepSeconds(run: string): number[] {
  const events = parseEvents(readFileSync(join(run, 'events/trainer.jsonl'), 'utf8'));
  return events.flatMap((event) => (event.type === 'step' && event.step >= 5 ? event.seconds : []));
}

/** One phase: the same steps from the same start, the Inferencer busy encoding the corpus throughout or absent. */
async function phase(name: string, beside: boolean): Promise<number[]> {
  const run = join(folder, name);
  cpSync(join(folder, 'start'), run, { recursive: true });
  const inferencer = beside ? startRole('inferencer', run) : undefined;
  const code = await exitOf(startRole('trainer', run));
  if (code !== 0) throw new Error(`the Trainer ended with exit code ${code}`);
  const seconds = stepSeconds(run);
  if (inferencer) {
    if (inferencer.exitCode !== null) throw new Error('the Inferencer was done first: take more steps away');
    inferencer.kill('SIGKILL');
    await exitOf(inferencer);
  }
  process.stderr.write(`${name}: ${(1 / median(seconds)).toFixed(3)} steps/s\n`);
  return seconds;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

try {
  const set = [`stages.train.steps=${steps}`, `checkpoint.every=${steps}`, 'optimizer.warmupSteps=0'];
  const { recipe } = await loadRecipe('dpr', { set });
  const description = {
    data: values.data,
    split: 'train',
    recipe,
    recipeFingerprint: fingerprintRecipe(recipe),
  };
  await createRun(join(folder, 'start'), description);
  // Tokens and BM25's negatives are there before anything is timed.
  await (await openRun(join(folder, 'start'))).data.close();
  const alone = await phase('alone-1', false);
  const beside = await phase('beside-1', true);
  alone.push(...(await phase('alone-2', false)));
  beside.push(...(await phase('beside-2', true)));
  const [aloneStepsPerSecond, besideStepsPerSecond] = [1 / median(alone), 1 / median(beside)];
  const ratio = besideStepsPerSecond / aloneStepsPerSecond;
  console.log(
    JSON.stringify({
      threads: Number(values.threads),
      steps,
      aloneStepsPerSecond,
      besideStepsPerSecond,
      ratio,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
