import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import type { LabelsRow } from '../../../repro/labels/labels.js';
import { list, repeated, wholeNumber } from '../../option-parsers.js';
import { print, printJson } from '../../output.js';
import { watchTraining } from '../../watch-training.js';
import { STEP_FACTOR } from './table-command.js';

interface LabelsFlags {
  data: string;
  out: string;
  size: keyof typeof STEP_FACTOR;
  split: string;
  testSplit: string;
  labels?: number[];
  recipe?: string;
  model?: string;
  set?: string[];
  adaptSet?: string[];
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss repro labels --data data/medquad
  nearmiss repro labels --data data/scifact --labels 30,100,300 --out runs/labels-scifact
  nearmiss repro labels --data data/medquad --recipe base --set model.layers=3 --json

The model as published and what adapt makes of it are each trained with 30, 100, 300 and 1,000 labels, the smaller sets within the
larger ones, and measured on the test split. What is done is not done again, and what was interrupted goes on. The table is
also written to OUT/labels.md and OUT/labels.json, the curve to OUT/labels.svg.`;

/** `nearmiss repro labels`. */
export function registerLabels(repro: Command): void {
  repro
    .command('labels')
    .summary('what a label is worth: with and without adapt, from 0 to 1,000 labels')
    .description(
      'Trains a model as published and an adapted one with more and more labels, and compares them on a test split.',
    )
    .requiredOption('--data <dir>', 'the collection')
    .option('--out <dir>', 'folder for the runs and the table', 'runs/labels')
    .addOption(
      new Option('--size <size>', 'how long to train').choices(Object.keys(STEP_FACTOR)).default('full'),
    )
    .option('--split <name>', 'split to take labels from', 'train')
    .option('--test-split <name>', 'split to compare on', 'test')
    .option('--labels <list>', 'how many labels, with commas between (default: 30,100,300,1000)', (value) =>
      list(value).map(wholeNumber(1)),
    )
    .option('--recipe <name>', 'how labels are learned from (default: default)')
    .option('--model <name>', 'what to start from (default: minilm)')
    .option('--set <path=value>', 'change a value of the recipe (repeatable)', repeated)
    .option('--adapt-set <path=value>', 'change a value of the recipe adapt (repeatable)', repeated)
    .option('--trainer-threads <n>', 'threads of the Trainer (default: all cores)', wholeNumber(1))
    .option('--inferencer-threads <n>', 'threads of the Inferencer (default: all cores)', wholeNumber(1))
    .option('--json', 'print the table as one JSON object')
    .option('--quiet', 'no live view')
    .addHelpText('after', EXAMPLES)
    .action(labelsCommand);
}

async function labelsCommand(flags: LabelsFlags): Promise<void> {
  const [{ reproduceLabels }, { labelsPlot, labelsText }, { writeFileAtomic }] = await Promise.all([
    import('../../../repro/labels/labels.js'),
    import('../../../repro/labels/report.js'),
    import('../../../base/files.js'),
  ]);
  const cores = availableParallelism();
  const { data, out, split, testSplit, recipe, model, set = [], adaptSet = [] } = flags;
  const threads = { trainer: flags.trainerThreads ?? cores, inferencer: flags.inferencerThreads ?? cores };
  const watched = await watchTraining(flags);
  const curve = await reproduceLabels({
    ...{ data, out, split, testSplit, recipe, model, set, adaptSet },
    counts: flags.labels?.toSorted((a, b) => a - b),
    stepFactor: STEP_FACTOR[flags.size],
    supervise: { threads, ...watched.supervise },
    onRow: (row) => watched.say(rowLine(row)),
  }).finally(watched.close);
  await writeFileAtomic(`${out}/labels.json`, `${JSON.stringify(curve, null, 2)}\n`);
  await writeFileAtomic(`${out}/labels.md`, `${labelsText(curve, 'markdown')}\n`);
  await writeFileAtomic(`${out}/labels.svg`, labelsPlot(curve));
  if (flags.json) printJson(curve);
  else print(`${labelsText(curve, 'text')}\n`);
}

function rowLine({ from, labels, measures }: LabelsRow): string {
  const values = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  return `${from}, ${labels} labels: ${values.join('  ')}`;
}
