import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { AdaptOptions, AdaptOutcome, Prepared } from '../../../adapt/index.js';
import { UsageError } from '../../../base/errors.js';
import { count, formatDuration, Progress } from '../../../base/progress.js';
import type { SystemsTable } from '../../../systems/index.js';
import type { RegisterCommand } from '../../command.js';
import { describedSources } from '../../described-sources.js';
import { expectProvider } from '../../options/provider-option.js';
import { print, printJson, tell } from '../../output.js';
import { watchTraining } from '../../watch-training.js';
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
  if (!begun.prepared) tell(`${out}: goes on\n`);
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
  else await printOutcome(outcome);
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

function planText(prepared: Prepared, seconds: number, out: string, model = 'minilm'): string {
  const { name, documents, sources, made, questions, unspaced, generated } = prepared;
  const list = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([maker, pairs]) => `${maker} ${count(pairs)}`)
      .join(', ');
  const lines = [
    `adapt ${model} to ${name}: ${describedSources(documents, sources)}: ${out}`,
    `learns from ${list(made.train)}; measures on ${questions >= 50 ? `${count(questions)} questions` : list(made.heldOut)}`,
    `takes about ${formatDuration(seconds)} on this machine if nothing else runs`,
  ];
  if (generated) {
    const { generator, documents: asked, written, kept } = generated;
    const led = kept < written ? `, of which ${count(kept)} lead back to their document` : '';
    lines.splice(1, 0, `${generator} wrote ${count(written)} queries for ${count(asked)} documents${led}`);
  }
  if (unspaced > 0.3 && model === 'minilm') {
    lines.push(
      `${Math.round(100 * unspaced)} % of the documents are in Chinese, Japanese or the like, and minilm reads English: --model takes another one`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function tooLittleText(source: string, { documents, sources, tooLittle }: Prepared): string {
  return `${[
    `Not adapted: ${describedSources(documents, sources)} are too little to learn from: ${tooLittle}.`,
    'The model as published searches them as they are:',
    `  nearmiss serve ${source}`,
    'What helps: more documents, or longer ones; or questions with their answers, which nearmiss train learns from (docs/your-data.md).',
  ].join('\n')}\n`;
}

async function printOutcome(outcome: AdaptOutcome): Promise<void> {
  const { test, adaptation } = outcome;
  if (!outcome.finished || !adaptation.judged) return;
  const { formatTable } = await import('../../../base/table.js');
  const { systemsTable } = await import('../../../systems/index.js');
  const { kinds, measure, split } = adaptation.judged;
  const made = split === 'made';
  print(
    `${formatTable({
      header: [
        made ? 'held-out queries, not learned from' : 'questions',
        'queries',
        `${measure} start`,
        'adapted',
        'p',
      ],
      numeric: [false, true, true, true, true],
      rows: kinds.map(({ kind, queries, start, adapted, p }) => [
        kind,
        count(queries),
        start.toFixed(4),
        adapted.toFixed(4),
        p < 0.0001 ? '< .0001' : p.toFixed(4).replace(/^0/, ''),
      ]),
    })}\n`,
  );
  if (test) print(`${systemsTable(test as SystemsTable)}\n`);
  print(`${verdictText(outcome, made)}\n`);
  print(searchedText(outcome));
}

/** The verdict is about the model alone, and a search asks words, too. */
function searchedText({ run, hybrid }: AdaptOutcome): string {
  // Whether both together are better, questions of people have judged; where there were too few, search uses both.
  const how =
    (hybrid?.recommended ?? true) ? 'together with BM25 (--mode dense takes it alone)' : 'by itself';
  return `Search uses that model ${how}:\n  nearmiss serve ${run}\n`;
}

/** Queries that the start answers this well leave nothing to gain. */
const EASY = 0.98;

function verdictText({ run, adaptation: { verdict, judged } }: AdaptOutcome, made: boolean): string {
  const trust = made
    ? ' These queries were made of the documents; what people ask may differ: --questions with 50 of theirs decides better.'
    : '';
  if (verdict === 'better') {
    return `Better: the adapted model answers them better than the one as published, by more than chance. It is in ${run}/best.${trust}`;
  }
  const kept = `${run}/best is the model as published.`;
  if (verdict === 'level' && judged?.kinds.every(({ start }) => start > EASY)) {
    return `Level: the model as published finds nearly all of them already, so they cannot show a difference. ${kept}${trust}`;
  }
  return verdict === 'level'
    ? `Level: what was learned makes no difference that could not be chance. ${kept}${trust}`
    : `Not better: what was learned makes search worse here. ${kept}${trust}`;
}
