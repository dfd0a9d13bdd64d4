import { availableParallelism, totalmem } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '../../base/errors.js';
import { jsonText } from '../../base/printable.js';
import { count, counted, formatBytes, formatDuration } from '../../base/progress.js';
import type { SystemsTable } from '../../systems/index.js';
import type { TrainOutcome } from '../../train/train.js';
import type { RegisterCommand } from '../command.js';
import { addFleetOptions, type FleetFlags, fleetOf } from '../fleet/fleet-options.js';
import { wholeNumber } from '../options/option-parsers.js';
import { expectProvider, providerOption } from '../options/provider-option.js';
import { print, printJson, tell } from '../output.js';
import { watchTraining } from '../watch-training.js';
import { addTrainingFlags, type TrainingFlags } from './runs/training-flags.js';

interface TrainOptions extends TrainingFlags, FleetFlags {
  shardSize?: number;
  data?: string;
  recipe?: string;
  split?: string;
  testSplit?: string;
  module?: string[];
  printConfig?: boolean;
  createOnly?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss train --data data/medquad                       all of MiniLM, in runs/medquad
  nearmiss train --data data/scifact --test-split test     and what it is worth on the test split
  nearmiss train --data data/medquad --recipe ance-firstp --out runs/medquad
  nearmiss train --data data/medquad --recipe ance-firstp --out runs/quick --set stages.ance.steps=50 --set checkpoint.every=10
  nearmiss train --recipe ance-firstp --print-config       every value and where it comes from
  nearmiss train --out runs/medquad                        goes on with a run that was interrupted
  nearmiss train --data /shared/data --recipe ance-firstp --out /shared/run --create-only

The Trainer and the Inferencer run as two processes that meet only in the run's folder. Whatever is interrupted,
by Ctrl-C or worse, goes on with the same command. The best model is in RUN/best, ready for any other command.`;

export const registerTrain: RegisterCommand = (program) => {
  const command = program
    .command('train')
    .summary('train a retriever')
    .description(
      'Trains a retriever by a recipe, with negatives that an index over the whole corpus keeps fresh.',
    )
    .option('--data <dir>', 'the collection, with judgments to learn from')
    .option('--recipe <name>', 'a built-in recipe or a YAML file (default: default)')
    .option('--out <run>', "the run's folder (default: runs/ and the collection's name)")
    .option(
      '--split <name>',
      'split whose judgments are learned from (default: train, else judged: what people marked in the browser)',
    )
    .option('--test-split <name>', 'measure what came of it on this split, too');
  addTrainingFlags(command, 'the recipe')
    .option(
      '--shard-size <n>',
      'with --queue: documents that a worker takes at once (default: 512)',
      wholeNumber(1),
    )
    .option('--print-config', 'print the resolved recipe with the origin of each value, and stop')
    .option('--create-only', "make the run's folder and stop: `trainer` and `inferencer` take it from there")
    .option('--json', 'print the outcome (or the resolved recipe) as JSON')
    .option('--quiet', 'no live view')
    .addHelpText('after', EXAMPLES)
    .action((_, command: Command) => trainCommand(command.optsWithGlobals()));
  addFleetOptions(command, 'encode');
};

async function trainCommand(options: TrainOptions): Promise<void> {
  fleetOf(options);
  if (options.printConfig) return printConfig(options);
  const out = options.out ?? usualRun(options);
  await expectProvider(options.provider);
  await beginOrGoOn(out, options);
  if (options.createOnly) return;
  await sayPlan(out, options);
  const outcome = await superviseRun(out, options);
  await tellRoom(out);
  if (options.json) printJson(outcome);
  else await printOutcome(outcome);
}

/** Where a run goes that was given no folder. */
function usualRun({ data, recipe }: TrainOptions): string {
  if (data === undefined) {
    throw new UsageError('train: --data DIR is missing', {
      hint: 'name a collection to train on, or with --out a run to go on with',
    });
  }
  const name = basename(resolve(data)).replace(/(?<=.)\..*$/, '');
  return join('runs', recipe === undefined ? name : `${name}-${basename(recipe).replace(/\.ya?ml$/, '')}`);
}

async function beginOrGoOn(out: string, options: TrainOptions): Promise<void> {
  const [{ isRun, readRunDescription }, { RunDirectory }] = await Promise.all([
    import('../../run/run-description.js'),
    import('../../run/run-directory.js'),
  ]);
  const begun = (await isRun(out)) ? await readRunDescription(new RunDirectory(out)) : undefined;
  const data = options.data ?? begun?.data;
  if (data === undefined) {
    throw new UsageError(`train: ${out} holds no run yet, so --data is needed`, {
      hint: 'e.g. nearmiss train --data data/medquad --out runs/medquad',
    });
  }
  if (options.recipe === undefined && begun) {
    if (options.set === undefined && resolve(data) === resolve(begun.data)) return;
    throw new UsageError(`train: ${out} is a run already, and neither its recipe nor its data change`, {
      hint: 'leave --set and --data out to go on with it, or choose another --out',
    });
  }
  const [{ loadRecipe }, { formatConfig }, { beginRun }, { DEFAULT_RECIPE }] = await Promise.all([
    import('../../recipe/load.js'),
    import('../../recipe/format-config.js'),
    import('../../train/process/begin-run.js'),
    import('../../train/train.js'),
  ]);
  const { recipe, origins, warnings } = await loadRecipe(options.recipe ?? DEFAULT_RECIPE, {
    set: options.set,
    use: options.module,
  });
  for (const warning of warnings) tell(`nearmiss: ${warning}\n`);
  const { usualSplit } = await import('../../run/collection/usual-split.js');
  const split = options.split ?? begun?.split ?? (await usualSplit(data));
  const recipeText = formatConfig(recipe, origins);
  await beginRun(out, { data, split, recipe, recipeText }, { quiet: options.quiet });
}

/** Says what is going to be done, and what was decided for the collection. */
async function sayPlan(path: string, { trainerThreads }: TrainOptions): Promise<void> {
  const [{ RunDirectory }, { readRunDescription }, { readRunJudged }, { CostModel }, { GENERATED_SPLIT }] =
    await Promise.all([
      import('../../run/run-directory.js'),
      import('../../run/run-description.js'),
      import('../../run/collection/judged.js'),
      import('../../run/cost/cost-model.js'),
      import('../../data/made-splits.js'),
    ]);
  const run = new RunDirectory(path);
  const { data, split, recipe, heldOut, dataFingerprint } = await readRunDescription(run);
  const steps = recipe.stages.reduce((sum, stage) => sum + stage.steps, 0);
  const unlabelled = recipe.evaluation.split === GENERATED_SPLIT;
  const documents = dataFingerprint ? `, ${counted(dataFingerprint.documents.count, 'document')}` : '';
  tell(
    `train ${recipe.model.init} on ${data} (${unlabelled ? 'without labels' : split}${documents}), ${counted(steps, 'step')} at most: ${path}\n`,
  );
  const taken = await readRunJudged(run);
  if (taken) {
    const { queries, judgments, measuredElsewhere, unknownDocuments } = taken;
    tell(`${count(judgments.length)} judgments of ${count(queries.length)} queries, as people marked them\n`);
    if (measuredElsewhere > 0) {
      tell(`left out: ${count(measuredElsewhere)} judged queries that other splits measure with\n`);
    }
    if (unknownDocuments > 0) {
      tell(`left out: ${count(unknownDocuments)} judgments of documents that are not in ${data}\n`);
    }
  }
  const cost = await CostModel.open(recipe, data);
  const threads = trainerThreads ?? availableParallelism();
  const { seconds, encodings } = cost.training(recipe, { threads });
  const memory = cost.memoryBytes(recipe);
  tell(
    `roughly ${formatDuration(seconds)} in all with ${counted(threads, 'thread')} (the collection is encoded ${encodings === 1 ? 'once' : `${count(encodings)} times`}), ${formatBytes(memory)} of memory, ${formatBytes(cost.diskBytes(recipe))} of disk; Ctrl-C stops, the same command goes on\n`,
  );
  if (memory > totalmem()) {
    tell(
      `that is more memory than this machine has (${formatBytes(totalmem())}): smaller batches need less (--set batch.queries=8), and so does the same batch in parts, in a third more time (--set batch.cacheTokens=2048)\n`,
    );
  }
  if (unlabelled) {
    tell(
      'nobody has judged anything here: what is measured on are generated queries of documents that are not learned from\n',
    );
  }
  if (heldOut) {
    tell(
      `${data} has no split "${heldOut.split}": ${counted(heldOut.queries.length, 'query', 'queries')} of ${heldOut.from} held out to measure on, and not learned from\n`,
    );
  }
}

/** Says what room a run that is done takes, and how some of it is freed. */
async function tellRoom(path: string): Promise<void> {
  const [{ RunDirectory }, { isDone }, { roomOf }] = await Promise.all([
    import('../../run/run-directory.js'),
    import('../../run/room/finished-checkpoint.js'),
    import('../../run/room/room.js'),
  ]);
  const run = new RunDirectory(path);
  if (!(await isDone(run))) return;
  const { kept, removable } = await roomOf(run);
  const [stays, goes] = [kept, removable].map((parts) => parts.reduce((sum, { bytes }) => sum + bytes, 0));
  const advice = goes > 0 ? `, of which nearmiss clean ${path} frees ${formatBytes(goes)}` : '';
  tell(`${path}: ${formatBytes(stays + goes)}${advice}\n`);
}

async function superviseRun(path: string, options: TrainOptions): Promise<TrainOutcome> {
  const { trainToEnd } = await import('../../train/train.js');
  const threads = { trainer: options.trainerThreads, inferencer: options.inferencerThreads };
  const fleet = fleetOf(options);
  const watched = await watchTraining(options);
  try {
    return await trainToEnd(path, {
      threads,
      provider: options.provider,
      testSplit: options.testSplit,
      ...watched.supervise,
      fleet: fleet && { ...fleet, shardSize: options.shardSize },
      measuring: { onNote: watched.say },
    });
  } finally {
    watched.close();
    if (watched.stopped()) process.exitCode = 130;
  }
}

async function printOutcome(outcome: TrainOutcome): Promise<void> {
  const { run, checkpoint, advice, test } = outcome;
  const { systemsTable } = await import('../../systems/index.js');
  if (hasTable(outcome)) print(`${systemsTable(outcome)}\n`);
  if (test) print(`${systemsTable(test)}\n`);
  if (advice !== undefined) return print(advice);
  if (!checkpoint) return;
  const measures = Object.entries(checkpoint.measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  print(`best model: ${run}/best (step ${checkpoint.step}, ${checkpoint.split}: ${measures.join(', ')})\n`);
}

function hasTable(outcome: TrainOutcome): outcome is TrainOutcome & SystemsTable {
  return outcome.rows !== undefined;
}

async function printConfig(options: TrainOptions): Promise<void> {
  const { loadRecipe } = await import('../../recipe/load.js');
  const { DEFAULT_RECIPE } = await import('../../train/train.js');
  const { configJson, formatConfig } = await import('../../recipe/format-config.js');
  const { recipe, origins, warnings } = await loadRecipe(options.recipe ?? DEFAULT_RECIPE, {
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
    .addOption(providerOption())
    .addHelpText('after', `\nExample:\n  nearmiss ${role} /shared/runs/medquad --threads 8`)
    .action(async (path: string, options: { threads?: number; provider?: string }) => {
      await expectProvider(options.provider);
      const { takeRole } = await import('../../train/process/processes.js');
      const stop = new AbortController();
      process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());
      await takeRole(role, path, {
        session: { threads: options.threads, provider: options.provider },
        stopSignal: stop.signal,
        onEvent: (event) => tell(`${jsonText(event)}\n`),
      });
    });
}
