import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AdaptOptions, AdaptOutcome } from '../../../adapt/index.js';
import { UsageError } from '../../../base/errors.js';
import { Progress } from '../../../base/progress.js';
import type { RegisterCommand } from '../../command.js';
import { expectProvider } from '../../options/provider-option.js';
import { print, printJson, tell } from '../../output.js';
import { watchTraining } from '../../watch-training.js';
import { outcomeText, planText, tooLittleText } from './adapt-text.js';
import { addTrainingFlags, type TrainingFlags } from './training-flags.js';

interface AdaptFlags extends TrainingFlags {
  questions?: string;
  model?: string;
  generate?: string | true;
  generatorModel?: string;
  roundTrip: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss adapt docs/                                     a folder of Markdown, HTML or text files, in runs/docs-adapted
  nearmiss adapt data/scifact --out runs/scifact           any collection; its judgments are not looked at
  nearmiss adapt docs/ --questions questions.jsonl         and measured on questions of your own
  nearmiss adapt docs/ --generate runs/generator           and learns from queries that a model writes
  nearmiss adapt docs/ --generate http://localhost:11434/v1 --generator-model llama3
  nearmiss adapt docs/ --out runs/docs --json              what came of it, for programs

Queries are made of the documents themselves (nearmiss data pairs shows them). Some, of a kind that is not learned from, are
held out: the model that comes back is the one as published unless it answers these better by more than chance.
Interrupted by Ctrl-C or worse, it goes on with the same command.`;

export const registerAdapt: RegisterCommand = (program) => {
  const command = program
    .command('adapt')
    .summary('make search better from documents alone, without labels')
    .description('Adapts a model to a collection that nobody has labelled, and says whether it got better.')
    .argument('<source>', 'a folder of texts, a BEIR folder, or anything that data import reads')
    .option('--out <run>', "the run's folder (default: runs/ and the collection's name)")
    .option('--questions <file>', 'questions with the documents that answer them, to measure on')
    .option('--model <name>', 'what to start from (default: minilm)')
    .option(
      '--generate [generator]',
      'let a model write queries, too: a run of the recipe query-generator, a T5 folder, or a service (default: runs/generator)',
    )
    .option('--generator-model <name>', "which of a service's models writes")
    .option('--no-round-trip', 'use generated queries by which BM25 does not find their document, too');
  addTrainingFlags(command, 'the recipe adapt')
    .option('--json', 'print the outcome as JSON')
    .option('--quiet', 'no live view')
    .addHelpText('after', EXAMPLES)
    .action((source: string, _, command: Command) => adaptCommand(source, command.optsWithGlobals()));
};

async function adaptCommand(source: string, flags: AdaptFlags): Promise<void> {
  const { adaptToEnd, beginAdaptation } = await import('../../../adapt/adapt.js');
  if (flags.generatorModel !== undefined && flags.generate === undefined) {
    throw new UsageError(
      'adapt: --generator-model says which model of a service writes, and nobody is asked to',
      {
        hint: 'add --generate http://…/v1',
      },
    );
  }
  const out = flags.out ?? usualRun(source);
  const progress = new Progress({ label: 'pairs', unit: 'documents', quiet: flags.quiet });
  await expectProvider(flags.provider);
  progress.begin();
  const begun = await beginAdaptation({
    data: source,
    out,
    questions: flags.questions,
    model: flags.model,
    set: flags.set,
    ...(flags.generate !== undefined && { generate: generateOptions(flags, () => progress.clear()) }),
    onDocument: () => progress.advance(),
    onNote: (note) => {
      progress.clear();
      tell(`${note}\n`);
    },
    onPrepared: (prepared, seconds) => {
      progress.clear();
      tell(planText(prepared, seconds, out, flags.model));
    },
  });
  if (!begun.begun) {
    progress.clear();
    const outcome: AdaptOutcome = {
      run: out,
      finished: false,
      adaptation: { verdict: 'too little', ...(begun.prepared && { prepared: begun.prepared }) },
    };
    if (flags.json) printJson(outcome);
    else print(tooLittleText(source, begun.prepared!));
    return;
  }
  if (begun.hasEnded)
    tell(`${out}: has ended already; for documents or questions of today choose another --out\n`);
  else if (!begun.prepared) tell(`${out}: goes on\n`);
  const watched = await watchTraining(flags);
  const threads = { trainer: flags.trainerThreads, inferencer: flags.inferencerThreads };
  let outcome: AdaptOutcome;
  try {
    outcome = await adaptToEnd(begun, {
      threads,
      provider: flags.provider,
      ...watched.supervise,
      measuring: { onNote: watched.say },
    });
  } finally {
    watched.close();
    if (watched.stopped()) process.exitCode = 130;
  }
  if (flags.json) printJson(outcome);
  else print(await outcomeText(outcome));
}

function generateOptions(flags: AdaptFlags, onBegin: () => void): NonNullable<AdaptOptions['generate']> {
  let writing: Progress | undefined;
  let known = 0;
  return {
    ...(typeof flags.generate === 'string' && { generator: flags.generate }),
    service: flags.generatorModel,
    roundTrip: flags.roundTrip,
    threads: flags.trainerThreads,
    onPassages(passages, total) {
      if (!writing) onBegin();
      writing ??= new Progress({ label: 'generate', unit: 'passages', total, quiet: flags.quiet });
      writing.advance(passages - known);
      known = passages;
      if (passages === total) writing.finish();
    },
  };
}

/** Where a run goes that was given no folder. */
function usualRun(source: string): string {
  return join('runs', `${basename(resolve(source)).replace(/(?<=.)\..*$/, '')}-adapted`);
}
