import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import type { Table, TableOptions, TableResult } from '../../../repro/table/table.js';
import { list, repeated, wholeNumber } from '../../option-parsers.js';
import { print, printJson } from '../../output.js';
import { watchTraining } from '../../watch-training.js';

/** What all tables are asked with. */
export interface ReproOptions {
  data: string;
  out: string;
  size: keyof typeof STEP_FACTOR;
  split: string;
  testSplit: string;
  recipes?: string[];
  seeds?: number[];
  set?: string[];
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

/** Shorter training for a first look. */
export const STEP_FACTOR = { quick: 0.25, small: 0.5, full: 1 };

/** A command that makes a table. */
export function tableCommand(repro: Command, name: string): Command {
  return repro
    .command(name)
    .requiredOption('--data <dir>', 'the collection')
    .option('--out <dir>', 'folder for the runs and the table', `runs/${name}`)
    .addOption(
      new Option('--size <size>', 'how long to train').choices(Object.keys(STEP_FACTOR)).default('full'),
    )
    .option('--split <name>', 'split to learn from', 'train')
    .option('--test-split <name>', 'split to compare on', 'test')
    .option('--recipes <list>', 'only these rows, with commas between', list)
    .option(
      '--seeds <list>',
      'train every row with each of these seeds, with commas between; means are compared',
      seedList,
    )
    .option('--set <path=value>', 'change a value of every recipe (repeatable)', repeated)
    .option('--trainer-threads <n>', "the Trainer's share of the cores (default: all)", wholeNumber(1))
    .option('--inferencer-threads <n>', "the Inferencer's share of the cores (default: all)", wholeNumber(1))
    .option('--json', 'print the table as one JSON object')
    .option('--quiet', 'no live view');
}

/** Makes a table, shows it and keeps it. */
export async function showTable(
  name: string,
  options: ReproOptions,
  reproduce: (options: Omit<TableOptions, 'table'>) => Promise<Table>,
): Promise<void> {
  const [{ tableText }, { writeFileAtomic }] = await Promise.all([
    import('../../../repro/table/report.js'),
    import('../../../base/files.js'),
  ]);
  const cores = availableParallelism();
  const threads = {
    trainer: options.trainerThreads ?? cores,
    inferencer: options.inferencerThreads ?? cores,
  };
  const watched = await watchTraining(options);
  const table = await reproduce({
    data: options.data,
    split: options.split,
    testSplit: options.testSplit,
    out: options.out,
    stepFactor: STEP_FACTOR[options.size],
    set: options.set ?? [],
    recipes: options.recipes,
    seeds: options.seeds,
    supervise: { threads, ...watched.supervise },
    onRow: (row) => watched.say(rowLine(row)),
  }).finally(watched.close);
  await writeFileAtomic(`${options.out}/${name}.json`, `${JSON.stringify(table, null, 2)}\n`);
  await writeFileAtomic(`${options.out}/${name}.md`, `${tableText(table, 'markdown')}\n`);
  if (options.json) printJson(table);
  else print(`${tableText(table, 'text')}\n`);
}

function seedList(value: string): number[] {
  return list(value).map(wholeNumber(0));
}

function rowLine({ system, measures, steps, seconds }: TableResult): string {
  const values = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  return `${system}: ${values.join('  ')}  (${steps} steps, ${Math.round(seconds)} s)`;
}
