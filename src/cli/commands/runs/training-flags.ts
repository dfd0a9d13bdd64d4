import type { Command } from 'commander';
import { repeated, wholeNumber } from '../../options/option-parsers.js';
import { providerOption } from '../../options/provider-option.js';

/** What every command that trains can be told. */
export interface TrainingFlags {
  out?: string;
  set?: string[];
  provider?: string;
  trainerThreads?: number;
  inferencerThreads?: number;
  json?: boolean;
  quiet?: boolean;
}

/** Adds the flags that say how to train: `--set`, where to compute, and the threads. */
export function addTrainingFlags(command: Command, recipe: string): Command {
  return command
    .option('--set <path=value>', `change a value of ${recipe} (repeatable)`, repeated)
    .addOption(providerOption())
    .option('--trainer-threads <n>', 'threads of the Trainer (default: all cores)', wholeNumber(1))
    .option('--inferencer-threads <n>', 'threads of the Inferencer (default: all cores)', wholeNumber(1));
}
