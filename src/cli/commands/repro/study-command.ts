import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { freeDiskBytes } from '../../../base/folders/free-disk.js';
import { counted, formatBytes, formatDuration } from '../../../base/progress.js';
import type { TableFormat } from '../../../base/table.js';
import type { RowsCost } from '../../../repro/table/rows-cost.js';
import type { TableOptions } from '../../../repro/table/table.js';
import { repeated, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson, tell } from '../../output.js';
import { watchTraining } from '../../watch-training.js';

/** What all experiments are asked with. */
export interface StudyOptions {
  data: string;
  out: string;
  size: keyof typeof STEP_FACTOR;
  split: string;
  testSplit: string;
  set?: string[];
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

/** Shorter training for a first look. */
const STEP_FACTOR = { quick: 0.25, small: 0.5, full: 1 };

/** A command that trains and compares. */
export function studyCommand(repro: Command, name: string): Command {
  return repro
    .command(name)
    .requiredOption('--data <dir>', 'the collection')
    .option('--out <dir>', 'folder for the runs and the table', `runs/${name}`)
    .addOption(
      new Option('--size <size>', 'how long to train').choices(Object.keys(STEP_FACTOR)).default('full'),
    )
    .option('--split <name>', 'split to learn from', 'train')
    .option('--test-split <name>', 'split to compare on', 'test')
    .option('--set <path=value>', 'change a value of every recipe (repeatable)', repeated)
    .option('--trainer-threads <n>', "the Trainer's share of the cores (default: all)", wholeNumber(1))
    .option('--inferencer-threads <n>', "the Inferencer's share of the cores (default: all)", wholeNumber(1))
    .option('--json', 'print the table as one JSON object')
    .option('--quiet', 'no live view');
}

/** What every experiment needs to train and to compare. */
type StudySettings = Pick<
  TableOptions,
  'data' | 'split' | 'testSplit' | 'out' | 'stepFactor' | 'set' | 'supervise' | 'onPlan'
>;

export interface Study<Result> {
  reproduce(settings: StudySettings, say: (line: string) => void): Promise<Result>;
  text(result: Result, format: TableFormat): string;
  plot?(result: Result): string;
}

/** Makes an experiment, shows it and keeps it. */
export async function showStudy<Result>(
  name: string,
  options: StudyOptions,
  { reproduce, text, plot }: Study<Result>,
): Promise<void> {
  const { writeFileAtomic } = await import('../../../base/files.js');
  const cores = availableParallelism();
  const threads = {
    trainer: options.trainerThreads ?? cores,
    inferencer: options.inferencerThreads ?? cores,
  };
  const watched = await watchTraining(options);
  const settings = {
    data: options.data,
    split: options.split,
    testSplit: options.testSplit,
    out: options.out,
    stepFactor: STEP_FACTOR[options.size],
    set: options.set ?? [],
    supervise: { threads, ...watched.supervise },
    onPlan: async (cost: RowsCost) => {
      if (cost.trainings > 0) tell(`${costText(cost, threads.trainer, await freeDiskBytes(options.out))}\n`);
    },
  };
  const result = await reproduce(settings, watched.say).finally(watched.close);
  await writeFileAtomic(`${options.out}/${name}.json`, `${JSON.stringify(result, null, 2)}\n`);
  await writeFileAtomic(`${options.out}/${name}.md`, `${text(result, 'markdown')}\n`);
  if (plot) await writeFileAtomic(`${options.out}/${name}.svg`, plot(result));
  if (options.json) printJson(result);
  else print(`${text(result, 'text')}\n`);
}

/** What the trainings of an experiment will take, and whether the disk has room for it; `free` where the system tells. */
export function costText(
  { trainings, steps, seconds, resultBytes, workBytes }: RowsCost,
  threads: number,
  free: number | undefined,
): string {
  const needed = resultBytes + workBytes;
  const lacks = free !== undefined && free < needed;
  return (
    `${counted(trainings, 'training')} of ${counted(steps, 'step')} in all: roughly ${formatDuration(seconds)} with ${counted(threads, 'thread')}` +
    `, ${formatBytes(resultBytes)} of disk in the end and ${formatBytes(workBytes)} more meanwhile; Ctrl-C stops, the same command goes on` +
    (lacks ? `\nnearmiss: only ${formatBytes(free)} of disk are free: name another with --out` : '')
  );
}
