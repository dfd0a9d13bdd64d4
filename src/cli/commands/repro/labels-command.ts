import type { Command } from 'commander';
import type { LabelsRow } from '../../../repro/labels/labels.js';
import { list, repeated, wholeNumber } from '../../options/option-parsers.js';
import { type StudyOptions, showStudy, studyCommand } from './study-command.js';

interface LabelsCommandOptions extends StudyOptions {
  labels?: number[];
  recipe?: string;
  model?: string;
  adaptSet?: string[];
}

const EXAMPLES = `
Examples:
  nearmiss repro labels --data data/medquad
  nearmiss repro labels --data data/scifact --labels 30,100,300 --out runs/labels-scifact
  nearmiss repro labels --data data/medquad --recipe base --set model.layers=3 --json

The model as published and what adapt makes of it are each trained with 30, 100, 300 and 1,000 labels, the smaller sets within the
larger ones, and measured on the test split. What is done is not done again, and what was interrupted goes on. The table is
also written to OUT/labels.md and OUT/labels.json, the curve to OUT/labels.svg.`;

/** What a label is worth. */
export function registerLabels(repro: Command): void {
  studyCommand(repro, 'labels')
    .summary('what a label is worth: with and without adapt, from 0 to 1,000 labels')
    .description(
      'Trains a model as published and an adapted one with more and more labels, and compares them on a test split.',
    )
    .option('--labels <list>', 'how many labels, with commas between (default: 30,100,300,1000)', (value) =>
      list(value).map(wholeNumber(1)),
    )
    .option('--recipe <name>', 'how labels are learned from (default: default)')
    .option('--model <name>', 'what to start from (default: minilm)')
    .option('--adapt-set <path=value>', 'change a value of the recipe adapt (repeatable)', repeated)
    .addHelpText('after', EXAMPLES)
    .action(labelsCommand);
}

async function labelsCommand(options: LabelsCommandOptions): Promise<void> {
  const [{ reproduceLabels }, { labelsPlot, labelsText }] = await Promise.all([
    import('../../../repro/labels/labels.js'),
    import('../../../repro/labels/report.js'),
  ]);
  const { labels, recipe, model, adaptSet = [] } = options;
  const counts = labels?.toSorted((a, b) => a - b);
  await showStudy('labels', options, {
    reproduce: (settings, say) =>
      reproduceLabels({ ...settings, counts, recipe, model, adaptSet, onRow: (row) => say(rowLine(row)) }),
    text: labelsText,
    plot: labelsPlot,
  });
}

function rowLine({ from, labels, measures }: LabelsRow): string {
  const values = Object.entries(measures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
  return `${from}, ${labels} labels: ${values.join('  ')}`;
}
