import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import type { Table1Result } from '../../repro/table1/table1.js';
import type { RegisterCommand } from '../command.js';
import { list, repeated, wholeNumber } from '../option-parsers.js';
import { print, printJson } from '../output.js';
import { watchTraining } from '../watch-training.js';

interface ReproOptions {
  data: string;
  out: string;
  size: keyof typeof STEP_FACTOR;
  split: string;
  testSplit: string;
  recipes?: string[];
  set?: string[];
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

/** Shorter training for a first look. */
const STEP_FACTOR = { quick: 0.25, small: 0.5, full: 1 };

const EXAMPLES = `
Examples:
  nearmiss repro table1 --data data/medquad --out runs/table1
  nearmiss repro table1 --data data/medquad --out runs/table1 --size small --recipes rand-neg,ance-firstp

Every row starts from the same model and takes the same number of steps. Rows that are done are not trained again,
and a row that was interrupted goes on. With --recipes the table keeps the other rows that were done before with the
same settings. It is also written to OUT/table1.md and OUT/table1.json.`;

export const registerRepro: RegisterCommand = (program) => {
  program
    .command('repro')
    .summary('reproduce experiments of the papers')
    .description('Reproduces experiments of the papers.')
    .addHelpText('after', EXAMPLES)
    .command('table1')
    .summary("all rows of the ANCE paper's Table 1")
    .description(
      "Trains every row of the ANCE paper's Table 1 with the same budget, and compares them on a test split.",
    )
    .requiredOption('--data <dir>', 'the collection')
    .option('--out <dir>', 'folder for the runs and the table', 'runs/table1')
    .addOption(
      new Option('--size <size>', 'how long to train').choices(Object.keys(STEP_FACTOR)).default('full'),
    )
    .option('--split <name>', 'split to learn from', 'train')
    .option('--test-split <name>', 'split to compare on', 'test')
    .option('--recipes <list>', 'only these rows, with commas between', list)
    .option('--set <path=value>', 'change a value of every recipe (repeatable)', repeated)
    .option('--trainer-threads <n>', "the Trainer's share of the cores (default: all)", wholeNumber(1))
    .option('--inferencer-threads <n>', "the Inferencer's share of the cores (default: all)", wholeNumber(1))
    .option('--json', 'print the table as one JSON object')
    .option('--quiet', 'no live view')
    .addHelpText('after', EXAMPLES)
    .action(table1Command);
};

async function table1Command(options: ReproOptions): Promise<void> {
  const [{ reproduceTable1 }, { table1Text }, { writeFileAtomic }] = await Promise.all([
    import('../../repro/table1/table1.js'),
    import('../../repro/table1/report.js'),
    import('../../base/files.js'),
  ]);
  const cores = availableParallelism();
  const threads = {
    trainer: options.trainerThreads ?? cores,
    inferencer: options.inferencerThreads ?? cores,
  };
  const watched = await watchTraining(options);
  const table = await reproduceTable1({
    data: options.data,
    split: options.split,
    testSplit: options.testSplit,
    out: options.out,
    stepFactor: STEP_FACTOR[options.size],
    set: options.set ?? [],
    recipes: options.recipes,
    supervise: { threads, ...watched.supervise },
    onRow: (row) => watched.say(rowLine(row)),
  }).finally(watched.close);
  await writeFileAtomic(`${options.out}/table1.json`, `${JSON.stringify(table, null, 2)}\n`);
  await writeFileAtomic(`${options.out}/table1.md`, `${table1Text(table, 'markdown')}\n`);
  if (options.json) printJson(table);
  else print(`${table1Text(table, 'text')}\n`);
}

function rowLine({ system, measures, steps, seconds }: Table1Result): string {
  const values = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  return `${system}: ${values.join('  ')}  (${steps} steps, ${Math.round(seconds)} s)`;
}
