import { UsageError } from '../../base/errors.js';
import type { RegisterCommand } from '../command.js';
import { numbersBetween } from '../options/option-parsers.js';
import { print, printJson } from '../output.js';

interface MergeCommandOptions {
  weights?: number[];
  out: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss merge minilm runs/mine --weights 0.5,0.5 --out models/merged    the start and what was trained from it
  nearmiss merge runs/seed1 runs/seed2 runs/seed3 --out models/soup        a soup of three trainings
  nearmiss search data/mine --model models/merged --queries data/mine --split dev --mode dense --run merged.trec
  nearmiss eval merged.trec data/mine --split dev                          is it better? ask the dev split

Every parameter of the merged model is the weighted mean of theirs. The models must be of one architecture: the same
layers, sizes, tokenizer and pooling, as several trainings of the same start are. Choose weights on development queries,
never on the queries you report; a stage \`make: merge\` of a recipe does so by itself.`;

export const registerMerge: RegisterCommand = (program) => {
  program
    .command('merge')
    .summary('merge models into one by the mean of their weights')
    .description('Merges models of one architecture: each parameter becomes the weighted mean of theirs.')
    .argument('<models...>', 'two or more: model folders, runs (their best model), minilm, hub ids')
    .option(
      '--weights <list>',
      'one number a model, with commas between (default: the same)',
      numbersBetween(0),
    )
    .requiredOption('--out <dir>', 'the folder of the merged model')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(mergeCommand);
};

async function mergeCommand(paths: string[], options: MergeCommandOptions): Promise<void> {
  const { weights, out } = options;
  if (paths.length < 2) throw new UsageError('expected two models or more, got one');
  if (weights && weights.length !== paths.length) {
    throw new UsageError(
      `--weights: expected ${paths.length} numbers, one for each model, got ${weights.length}`,
    );
  }
  const [{ mergeModels }, { bestModel }] = await Promise.all([
    import('../../model/merge/merge-models.js'),
    import('../../run/best-model.js'),
  ]);
  const models: string[] = [];
  for (const path of paths) models.push(await bestModel(path));
  const merged = await mergeModels({ models, weights, out });
  if (options.json) {
    printJson(merged);
    return;
  }
  const shares = merged.models.map(({ model, share }) => `${Number(share.toPrecision(4))} × ${model}`);
  print(
    `${out}: ${shares.join(' + ')} (${merged.kind}, ${merged.parameters} parameters, reads ${merged.maxLength} tokens)\n`,
  );
}
