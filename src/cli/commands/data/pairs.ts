import type { Command } from 'commander';
import { UsageError } from '../../../base/errors.js';
import { count } from '../../../base/progress.js';
import { formatTable } from '../../../base/table.js';
import type { CollectionSurvey, PairSurvey } from '../../../examples/pairs/survey.js';
import { describedSources } from '../../described-sources.js';
import { repeated, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson, tell } from '../../output.js';
import { addSourceOptions, type SourceFlags, toOpenOptions } from './source-options.js';

interface PairsFlags extends SourceFlags {
  maker?: string[];
  samples: number;
  seed: number;
  json?: boolean;
}

const SHOWN_CHARACTERS = 160;

export function registerPairs(data: Command): void {
  const command = data
    .command('pairs')
    .summary('show what there is to learn from documents alone')
    .description(
      'Shows the pairs of query and answer that each pair maker would make of documents that nobody has labelled: how many, and some of them.',
    )
    .argument('<source>', 'a folder of texts, a BEIR folder, or anything that import reads');
  addSourceOptions(command)
    .option('--maker <name>', 'only this maker (repeatable)', repeated)
    .option('--samples <n>', 'pairs to show of each maker', wholeNumber(0), 3)
    .option('--seed <n>', 'the same number gives the same pairs', wholeNumber(0), 1)
    .option('--json', 'print counts and pairs as JSON')
    .action(pairsAction)
    .addHelpText(
      'after',
      `
Examples:
  nearmiss data pairs docs/
  nearmiss data pairs data/scifact --maker ict --maker title --samples 10
  nearmiss data pairs docs/ --json | jq '.makers[] | {maker, pairs}'
`,
    );
}

async function pairsAction(source: string, flags: PairsFlags): Promise<void> {
  const [
    { leavingOutFiles },
    { openDataset },
    { pairMakers },
    { surveyPairs },
    { Progress },
    { tellLeftOut },
  ] = await Promise.all([
    import('../../../data/leaving-out-files.js'),
    import('../../../data/open.js'),
    import('../../../examples/pairs/kinds.js'),
    import('../../../examples/pairs/survey.js'),
    import('../../../base/progress.js'),
    import('../../inputs/tell-left-out.js'),
  ]);
  const unknown = flags.maker?.find((name) => !pairMakers.names.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`data pairs: no pair maker is called "${unknown}"`, {
      hint: `there are ${pairMakers.names.join(', ')}`,
    });
  }
  const progress = new Progress({ label: 'pairs', unit: 'documents' });
  const onProblem = await leavingOutFiles(source, (note) => {
    progress.clear();
    tell(`${note}\n`);
  });
  const dataset = await openDataset(source, { ...toOpenOptions(flags), onProblem });
  const survey = await surveyPairs(dataset, {
    ...(flags.maker && { makers: flags.maker.map((name) => pairMakers.get(name)) }),
    samples: flags.samples,
    seed: flags.seed,
    onDocument: () => progress.advance(),
  });
  progress.finish();
  tellLeftOut(dataset.sources);
  if (flags.json) printJson({ name: dataset.name, ...survey });
  else print(describe(dataset.name, survey));
}

function describe(name: string, { documents, sources, makers }: CollectionSurvey): string {
  const table = formatTable({
    header: ['maker', 'pairs', 'documents', 'what it makes'],
    numeric: [false, true, true, false],
    rows: makers.map(({ maker, pairs, documents: reached, description }) => [
      maker,
      count(pairs),
      count(reached),
      description,
    ]),
  });
  const shown = makers.filter(({ samples }) => samples.length > 0).map(samplesOf);
  return `${[`${name}: ${describedSources(documents, sources)}`, '', table, ...shown].join('\n')}`;
}

function samplesOf({ maker, samples }: PairSurvey): string {
  const lines = samples.flatMap(({ query, positive, whole }) => [
    `  ${shortened(query)}`,
    `    → ${whole ? '(the document as it is) ' : ''}${shortened(positive)}`,
  ]);
  return `${[maker, ...lines].join('\n')}\n`;
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS - 1)}…`;
}
