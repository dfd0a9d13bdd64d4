// The Trainer's speed while the Inferencer works beside it, each with its share of the cores, against the same steps
// alone. Phases alternate (alone, beside, alone, …) and neighbours are compared, so that a drift of the machine does not
// decide: the ratio is the median of the pairs'.
// npm run bench:beside -- [--data ../shared/data/medquad] [--steps 12] [--pairs 3] [--threads 1]
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadRecipe } from '../src/recipe/load.js';
import { parseEvents } from '../src/run/events.js';
import { openRun } from '../src/run/open-run.js';
import { createRun } from '../src/train/process/create-run.js';
import { exitOf } from '../test/kill.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: resolve(import.meta.dirname, '../../shared/data/medquad') },
    steps: { type: 'string', default: '12' },
    pairs: { type: 'string', default: '3' },
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
async function phase(name: string, beside: boolean): Promise<number> {
  const run = join(folder, name);
  cpSync(join(folder, 'start'), run, { recursive: true });
  const inferencer = beside ? startRole('inferencer', run) : undefined;
  const code = await exitOf(startRole('trainer', run));
  if (code !== 0) throw new Error(`the Trainer ended with exit code ${code}`);
  const stepsPerSecond = 1 / median(stepSeconds(run));
  if (inferencer) {
    if (inferencer.exitCode !== null) throw new Error('the Inferencer was done first: take more steps away');
    inferencer.kill('SIGKILL');
    await exitOf(inferencer);
  }
  process.stderr.write(`${name}: ${stepsPerSecond.toFixed(3)} steps/s\n`);
  return stepsPerSecond;
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
  };
  await createRun(join(folder, 'start'), description);
  // Tokens and BM25's negatives are there before anything is timed.
  await (await openRun(join(folder, 'start'))).data.close();
  const alone: number[] = [];
  const beside: number[] = [];
  for (let pair = 1; pair <= Number(values.pairs); pair++) {
    alone.push(await phase(`alone-${pair}`, false));
    beside.push(await phase(`beside-${pair}`, true));
  }
  console.log(
    JSON.stringify({
      threads: Number(values.threads),
      steps,
      pairs: alone.length,
      aloneStepsPerSecond: median(alone),
      besideStepsPerSecond: median(beside),
      ratio: median(beside.map((speed, i) => speed / alone[i])),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
