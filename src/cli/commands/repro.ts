import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import type { TableOptions, TableResult } from '../../repro/table/table.js';
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
  seeds?: number[];
  set?: string[];
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

interface TricksCommandOptions extends ReproOptions {
  teacher?: string;
  teacherSet?: string[];
}

/** Shorter training for a first look. */
const STEP_FACTOR = { quick: 0.25, small: 0.5, full: 1 };

const KEPT = `Every row starts from the same model and takes the same number of steps. Rows that are done are not trained again,
and a row that was interrupted goes on. With --recipes the table keeps the other rows that were done before with the
same settings.`;

const EXAMPLES = `
Examples:
  nearmiss repro table1 --data data/medquad --out runs/table1
  nearmiss repro table1 --data data/medquad --out runs/table1 --size small --recipes rand-neg,ance-firstp
  nearmiss repro table1 --data data/medquad --recipes rand-neg,dpr,ance-firstp --seeds 1,2,3

${KEPT} With --seeds rows are means over seeds, each in OUT/seed-N, and tests are on queries' means.
The table is also written to OUT/table1.md and OUT/table1.json.`;

const TRICKS_EXAMPLES = `
Examples:
  nearmiss repro tricks --data data/medquad --size small
  nearmiss repro tricks --data data/medquad --recipes star,star-adore
  nearmiss repro tricks --data data/medquad --teacher runs/reranker --recipes mined-neg,margin-mse,kl

${KEPT} Rows with a teacher have the same one: a cross-encoder that is trained first, in OUT/teacher, or the one that is
named. Its time is not part of theirs. The table is also written to OUT/tricks.md and OUT/tricks.json.`;

export const registerRepro: RegisterCommand = (program) => {
  const repro = program
    .command('repro')
    .summary('reproduce experiments of the papers')
    .description('Reproduces experiments of the papers.')
    .addHelpText('after', EXAMPLES);
  tableCommand(repro, 'table1')
    .summary("all rows of the ANCE paper's Table 1")
    .description(
      "Trains every row of the ANCE paper's Table 1 with the same budget, and compares them on a test split.",
    )
    .addHelpText('after', EXAMPLES)
    .action(table1Command);
  tableCommand(repro, 'tricks')
    .summary('distillation, TAS-B, STAR, ADORE, RocketQA side by side')
    .description(
      'Trains recipes with teachers and better negatives, and what they are to be better than, with the same budget, and compares them on a test split.',
    )
    .option('--teacher <dir>', 'a trained cross-encoder: its run or folder (default: one is trained first)')
    .option('--teacher-set <path=value>', "change a value of the teacher's recipe (repeatable)", repeated)
    .addHelpText('after', TRICKS_EXAMPLES)
    .action(tricksCommand);
};

function tableCommand(repro: Command, name: string): Command {
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

async function table1Command(options: ReproOptions): Promise<void> {
  const [{ reproduceTable }, { TABLE1 }] = await Promise.all([
    import('../../repro/table/table.js'),
    import('../../repro/table1/rows.js'),
  ]);
  await showTable('table1', options, (table) => reproduceTable({ ...table, table: TABLE1 }));
}

async function tricksCommand(options: TricksCommandOptions): Promise<void> {
  const { reproduceTricks } = await import('../../repro/tricks/tricks.js');
  const { teacher, teacherSet } = options;
  await showTable('tricks', options, (table) => reproduceTricks({ ...table, teacher, teacherSet }));
}

/** Makes a table, shows it and keeps it. */
async function showTable(
  name: string,
  options: ReproOptions,
  reproduce: (
    options: Omit<TableOptions, 'table'>,
  ) => Promise<{ dataset: string; rows: readonly TableResult[] }>,
): Promise<void> {
  const [{ tableText }, { writeFileAtomic }] = await Promise.all([
    import('../../repro/table/report.js'),
    import('../../base/files.js'),
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
