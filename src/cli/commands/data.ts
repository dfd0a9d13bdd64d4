import type { Command } from 'commander';
import { registerExport } from './data/export.js';
import { registerImport } from './data/import.js';
import { registerPairs } from './data/pairs.js';
import { registerSample } from './data/sample.js';
import { registerSplit } from './data/split.js';
import { registerStats } from './data/stats.js';
import { registerValidate } from './data/validate.js';

/** `nearmiss data …`: bring collections in, check them, look at them, cut them up. */
export function registerData(program: Command): void {
  const data = program
    .command('data')
    .summary('import, check, describe, split, sample and export collections, and pairs made of them')
    .description('Imports, checks, describes, splits, samples and exports collections.');
  registerImport(data);
  registerValidate(data);
  registerStats(data);
  registerSplit(data);
  registerSample(data);
  registerPairs(data);
  registerExport(data);
  data.addHelpText(
    'after',
    `
Examples:
  nearmiss data import msmarco/ data/msmarco            any format → a BEIR folder, the format of the other commands
  nearmiss data validate data/msmarco                   every problem with file, line and field
  nearmiss data stats data/msmarco                      counts, lengths, judgments, overlap of the splits
  nearmiss data split data/mine data/mine-split --by document --seed 1
  nearmiss data sample data/msmarco data/small --documents 10000 --queries 500
  nearmiss data pairs docs/                             what there is to learn from documents alone
`,
  );
}
