import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { formatDuration } from '../../base/progress.js';
import type { TuneCost } from '../../repro/tune/cost.js';
import type { TuneState } from '../../repro/tune/tune-file.js';
import type { RegisterCommand } from '../command.js';
import { numberBetween, repeated, wholeNumber } from '../options/option-parsers.js';
import { expectProvider, providerOption } from '../options/provider-option.js';
import { print, printJson, tell } from '../output.js';
import { watchTraining } from '../watch-training.js';

interface TuneCommandOptions {
  data: string;
  provider?: string;
  recipe: string;
  out: string;
  split: string;
  try?: string[];
  set?: string[];
  keep: number;
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss tune --data data/mine --out runs/tune
  nearmiss tune --data data/mine --recipe ance-firstp --out runs/tune
  nearmiss tune --data data/mine --recipe ance-firstp --out runs/tune --try rate=1e-5,2e-5,5e-5 --try depth=50,200
  nearmiss tune --data data/mine --recipe ance-firstp --out runs/tune --try optimizer.weightDecay=0,0.01
  nearmiss train --data data/mine --recipe runs/tune/winner.yaml --out runs/best

Names are rate, steps (of the last stage that trains), temperature, depth and margin (of ranked negatives), or any path
that --set takes; without --try, rate and temperature around the recipe's own. Every combination is a candidate, and the
recipe as it is. All of them are trained for a part of their steps, the better half goes on, and so forth: each by its own
schedule over all its steps, which is never restarted. Only the dev split (evaluation.split) is looked at. What is
interrupted goes on with the same command. OUT gets winner.yaml, tune.json, tune.md and tune.svg; losers' models are
removed.`;

export const registerTune: RegisterCommand = (program) => {
  program
    .command('tune')
    .summary("search a recipe's settings on the dev split")
    .description("Searches a recipe's settings by successive halving on the dev split.")
    .requiredOption('--data <dir>', 'the collection, with judgments to learn from and to choose by')
    .option('--recipe <name>', 'a built-in recipe or a YAML file', 'default')
    .requiredOption('--out <dir>', 'folder for the runs, the table and the winner')
    .option('--try <name=values>', 'a setting and its values, with commas between (repeatable)', repeated)
    .option('--set <path=value>', 'change a value of the recipe for all (repeatable)', repeated)
    .option('--split <name>', 'split whose judgments are learned from', 'train')
    .option('--keep <share>', 'of the candidates, after each round', numberBetween(0.1, 0.9), 0.5)
    .addOption(providerOption())
    .option('--trainer-threads <n>', 'threads of the Trainer (default: all cores)', wholeNumber(1))
    .option('--inferencer-threads <n>', 'threads of the Inferencer (default: all cores)', wholeNumber(1))
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'no live view')
    .addHelpText('after', EXAMPLES)
    .action(tuneCommand);
};

async function tuneCommand(options: TuneCommandOptions): Promise<void> {
  await expectProvider(options.provider);
  const [{ tuneRecipe, WINNER_FILE }, { costOf }, { tuneTable, tunePlot, tuneVerdict }, { writeFileAtomic }] =
    await Promise.all([
      import('../../repro/tune/tune.js'),
      import('../../repro/tune/cost.js'),
      import('../../repro/tune/report.js'),
      import('../../base/files.js'),
    ]);
  const cores = availableParallelism();
  const threads = {
    trainer: options.trainerThreads ?? cores,
    inferencer: options.inferencerThreads ?? cores,
  };
  const watched = await watchTraining(options);
  let state: TuneState;
  try {
    state = await tuneRecipe({
      data: options.data,
      recipe: options.recipe,
      out: options.out,
      split: options.split,
      set: options.set,
      tries: options.try,
      keep: options.keep,
      supervise: { threads, provider: options.provider, ...watched.supervise },
      onPlan: async (plan) => {
        const cost = await costOf(plan, options.data, threads.trainer);
        tell(`${costText(plan.state.candidates.length, cost)}\n`);
      },
      onResult: (candidate, { measure, sizes }) => {
        const { step, value, seconds } = candidate.results.at(-1)!;
        const figure = value === null ? 'diverged' : `${measure} ${value.toFixed(4)}`;
        const where = `round ${candidate.results.length} of ${sizes.length}`;
        watched.say(`${candidate.name}: ${figure} at step ${step} (${where}, ${formatDuration(seconds)})`);
      },
    });
  } catch (error) {
    if (!watched.stopped()) throw error;
    process.exitCode = 130;
    return;
  } finally {
    watched.close();
  }
  const file = (name: string): string => join(options.out, name);
  await writeFileAtomic(file('tune.md'), `${tuneTable(state, 'markdown')}\n${tuneVerdict(state)}\n`);
  await writeFileAtomic(file('tune.svg'), tunePlot(state));
  if (options.json) printJson({ ...state, recipeFile: file(WINNER_FILE) });
  else print(`${tuneTable(state)}\n${tuneVerdict(state)}\nrecipe: ${file(WINNER_FILE)}\n`);
}

function costText(
  candidates: number,
  { trainings, steps, measurements, seconds, diskBytes }: TuneCost,
): string {
  const gigabytes = (diskBytes / 1e9).toPrecision(2);
  return (
    `${candidates} candidates, ${trainings} trainings to a round's end, ${steps} steps and ${measurements} measurements of the collection:` +
    ` roughly ${formatDuration(seconds)} by the model's size, at most ${gigabytes} GB of disk; Ctrl-C stops, the same command goes on`
  );
}
