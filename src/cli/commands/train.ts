import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../base/errors.js';
import { jsonText } from '../../base/printable.js';
import type { RegisterCommand } from '../command.js';
import { repeated, wholeNumber } from '../option-parsers.js';
import { print, printJson, tell } from '../output.js';
import { watchTraining } from '../watch-training.js';

interface TrainOptions {
  data?: string;
  recipe?: string;
  out?: string;
  split: string;
  set?: string[];
  module?: string[];
  printConfig?: boolean;
  createOnly?: boolean;
  json?: boolean;
  quiet?: boolean;
  trainerThreads?: number;
  inferencerThreads?: number;
}

const EXAMPLES = `
Examples:
  nearmiss train --data data/medquad --recipe ance-firstp --out runs/medquad
  nearmiss train --data data/medquad --recipe ance-firstp --out runs/quick --set stages.ance.steps=50
  nearmiss train --recipe ance-firstp --print-config       every value and where it comes from
  nearmiss train --out runs/medquad                        goes on with a run that was interrupted
  nearmiss train --data /shared/data --recipe ance-firstp --out /shared/run --create-only

The Trainer and the Inferencer run as two processes that meet only in the run's folder. Whatever is interrupted,
by Ctrl-C or worse, goes on with the same command. The best model is in RUN/best, ready for any other command.`;

export const registerTrain: RegisterCommand = (program) => {
  program
    .command('train')
    .summary('train a retriever')
    .description(
      'Trains a retriever by a recipe, with negatives that an index over the whole corpus keeps fresh.',
    )
    .option('--data <dir>', 'the collection, with judgments to learn from')
    .option('--recipe <name>', 'a built-in recipe or a YAML file')
    .option('--out <run>', "the run's folder")
    .option('--split <name>', 'split whose judgments are learned from', 'train')
    .option('--set <path=value>', 'change a value of the recipe (repeatable)', repeated)
    .option('--trainer-threads <n>', "the Trainer's share of the cores (default: half)", wholeNumber(1))
    .option('--inferencer-threads <n>', "the Inferencer's share of the cores (default: half)", wholeNumber(1))
    .option('--print-config', 'print the resolved recipe with the origin of each value, and stop')
    .option('--create-only', "make the run's folder and stop: `trainer` and `inferencer` take it from there")
    .option('--json', 'print the outcome (or the resolved recipe) as JSON')
    .option('--quiet', 'no live view')
    .addHelpText('after', EXAMPLES)
    .action((_, command: Command) => trainCommand(command.optsWithGlobals()));
};

async function trainCommand(options: TrainOptions): Promise<void> {
  if (options.printConfig) return printConfig(options);
  if (options.out === undefined)
    throw new UsageError('train: --out RUN is missing', { hint: 'name a folder for the run' });
  await beginOrGoOn(options.out, options);
  if (options.createOnly) return;
  await superviseRun(options.out, options);
  await printOutcome(options.out, options.json === true);
}

async function beginOrGoOn(out: string, options: TrainOptions): Promise<void> {
  const [{ isRun, readRunDescription }, { RunDirectory }] = await Promise.all([
    import('../../run/run-description.js'),
    import('../../run/run-directory.js'),
  ]);
  const begun = (await isRun(out)) ? await readRunDescription(new RunDirectory(out)) : undefined;
  const data = options.data ?? begun?.data;
  if (data === undefined || (options.recipe === undefined && !begun)) {
    throw new UsageError(`train: ${out} holds no run yet, so --data and --recipe are needed`, {
      hint: 'e.g. nearmiss train --data data/medquad --recipe ance-firstp --out runs/medquad',
    });
  }
  if (options.recipe === undefined) {
    if (options.set === undefined && resolve(data) === resolve(begun!.data)) return;
    throw new UsageError(`train: ${out} is a run already, and neither its recipe nor its data change`, {
      hint: 'leave --set and --data out to go on with it, or choose another --out',
    });
  }
  const [{ loadRecipe }, { formatConfig }, { beginRun }] = await Promise.all([
    import('../../recipe/load.js'),
    import('../../recipe/format-config.js'),
    import('../../train/process/begin-run.js'),
  ]);
  const { recipe, origins, warnings } = await loadRecipe(options.recipe, {
    set: options.set,
    use: options.module,
  });
  for (const warning of warnings) tell(`nearmiss: ${warning}\n`);
  const plan = { data, split: options.split, recipe, recipeText: formatConfig(recipe, origins) };
  await beginRun(out, plan, { quiet: options.quiet });
}

async function superviseRun(path: string, options: TrainOptions): Promise<void> {
  const { supervise } = await import('../../train/process/supervisor.js');
  const half = Math.max(1, Math.floor(availableParallelism() / 2));
  const threads = { trainer: options.trainerThreads ?? half, inferencer: options.inferencerThreads ?? half };
  const watched = await watchTraining(options);
  try {
    await supervise({ path, threads, ...watched.supervise });
  } finally {
    watched.close();
  }
  if (watched.stopped()) process.exitCode = 130;
}

async function printOutcome(path: string, json: boolean): Promise<void> {
  const [{ RunDirectory }, { bestSoFar }] = await Promise.all([
    import('../../run/run-directory.js'),
    import('../../run/step-evaluation.js'),
  ]);
  const run = new RunDirectory(path);
  const best = await bestSoFar(run);
  const finished = await run.isFinished();
  if (json) {
    printJson({ run: path, finished, best });
    return;
  }
  if (!best) return;
  const measures = Object.entries(best.measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  print(`best model: ${run.file('best')} (step ${best.step}, ${best.split}: ${measures.join(', ')})\n`);
}

async function printConfig(options: TrainOptions): Promise<void> {
  if (options.recipe === undefined) throw new UsageError('train: --print-config needs --recipe NAME');
  const { loadRecipe } = await import('../../recipe/load.js');
  const { configJson, formatConfig } = await import('../../recipe/format-config.js');
  const { recipe, origins, warnings } = await loadRecipe(options.recipe, {
    set: options.set,
    use: options.module,
  });
  for (const warning of warnings) tell(`nearmiss: ${warning}\n`);
  if (options.json) printJson(configJson(recipe, origins));
  else print(formatConfig(recipe, origins));
}

/** One of the two processes alone, e.g. on another machine that sees the folder. */
export const registerTrainer: RegisterCommand = (program) => registerRole(program, 'trainer');
export const registerInferencer: RegisterCommand = (program) => registerRole(program, 'inferencer');

function registerRole(program: Command, role: 'trainer' | 'inferencer'): void {
  program
    .command(role)
    .summary(`run a run's ${role} alone`)
    .description(
      `Takes the ${role}'s role in a run that \`nearmiss train\` created, on any machine that sees its folder.`,
    )
    .argument('<run>', "the run's folder")
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .addHelpText('after', `\nExample:\n  nearmiss ${role} /shared/runs/medquad --threads 8`)
    .action(async (path: string, options: { threads?: number }) => {
      const { takeRole } = await import('../../train/process/processes.js');
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
      await takeRole(role, path, {
        session: { threads: options.threads },
        stopSignal: stop.signal,
        onEvent: (event) => tell(`${jsonText(event)}\n`),
      });
    });
}
