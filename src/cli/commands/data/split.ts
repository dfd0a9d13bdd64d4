import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../../../base/errors.js';
import { checkApart } from '../../../base/folders/check-apart.js';
import { counted } from '../../../base/progress.js';
import type { SplitBy, SplitResult } from '../../../data/derive/split.js';
import { list, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';

interface SplitFlags {
  by: SplitBy;
  ratios: Record<string, number>;
  groupField?: string;
  from?: string[];
  seed: number;
  gzip?: boolean;
  overwrite?: boolean;
  json?: boolean;
}

const USUAL_RATIOS = 'train=0.8,dev=0.1,test=0.1';

export function registerSplit(data: Command): void {
  data
    .command('split')
    .summary('divide the judged queries, without leaks')
    .description('Divides the judged queries of a collection, at random and without leaks.')
    .argument('<source>', 'a BEIR folder, or anything that import reads')
    .argument('<out>', 'the folder to write')
    .addOption(
      new Option('--by <what>', 'what must not be in two splits')
        .choices(['query', 'document', 'group'])
        .default('query'),
    )
    .addOption(
      new Option('--ratios <shares>', 'share of each split')
        .argParser(ratios)
        .default(ratios(USUAL_RATIOS), USUAL_RATIOS),
    )
    .option('--group-field <name>', 'metadata field of --by group; "title" is the title of a document')
    .option('--from <splits>', 'divide only these splits, comma separated (default: all)', list)
    .option('--seed <n>', 'same seed, same splits', wholeNumber(0), 42)
    .option('--gzip', 'compress corpus, queries and examples')
    .option('--overwrite', 'replace a BEIR folder that is there')
    .option('--json', 'print the result as JSON')
    .action(splitAction)
    .addHelpText(
      'after',
      `
What a leak is: something of the test that training has seen.
  --by query      no query is in two splits, nor two queries with the same words (case and blanks aside)
  --by document   as query; and no document is relevant in two splits: the model cannot learn a test answer by heart
  --by group      as document; and no value of --group-field (of a query or of its relevant documents) is in two splits
Queries that must stay together are dealt out together, so ratios are met as closely as they allow.

Examples:
  nearmiss data split data/mine data/mine-split --by document --ratios train=0.9,test=0.1
  nearmiss data split data/squad data/squad-split --by group --group-field article --seed 7
`,
    );
}

async function splitAction(source: string, out: string, flags: SplitFlags): Promise<void> {
  checkGroup(flags);
  await checkApart(out, [source]);
  const [{ openDataset }, { splitDataset }, { ResplitDataset }, { writeBeir }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../data/derive/split.js'),
    import('../../../data/derive/resplit.js'),
    import('../../../data/writers/beir.js'),
  ]);
  const dataset = await openDataset(source);
  const divided = flags.from ?? (await dataset.splits());
  const result = await splitDataset(dataset, { ...flags, from: divided });
  const resplit = new ResplitDataset(dataset, { splits: result.splits, divided });
  await writeBeir(resplit, out, { gzip: flags.gzip, overwrite: flags.overwrite });
  if (flags.json) printJson(summary(out, result));
  else print(describe(out, flags, result));
}

function checkGroup({ by, groupField }: SplitFlags): void {
  if (by === 'group' && !groupField) {
    throw new UsageError('--by group: expected --group-field with it', {
      hint: 'name a field of the metadata, e.g. --group-field article',
    });
  }
  if (by !== 'group' && groupField !== undefined) {
    throw new UsageError(`--group-field is of no use with --by ${by}`, { hint: 'did you mean --by group?' });
  }
}

function summary(out: string, { splits, parts, largestPart, overlaps }: SplitResult) {
  const queries = Object.fromEntries([...splits].map(([split, qrels]) => [split, qrels.size]));
  return { out, queries, parts, largestPart, overlaps };
}

function describe(out: string, { by }: SplitFlags, result: SplitResult): string {
  const { queries, parts, largestPart, overlaps } = summary(out, result);
  const total = Object.values(queries).reduce((sum, size) => sum + size, 0);
  const lines = Object.entries(queries).map(
    ([split, size]) =>
      `  ${split.padEnd(8)} ${counted(size, 'query', 'queries')} (${((100 * size) / total).toFixed(1)}%)`,
  );
  const shared = overlaps.filter(({ positives }) => positives > 0);
  const leaks = shared.map(
    ({ splits, positives }) =>
      `  ${counted(positives, 'document is', 'documents are')} relevant in both ${splits.join(' and ')}`,
  );
  const advice = shared.length > 0 ? ['  → --by document keeps them apart'] : [];
  return `${[
    `${out}: ${counted(parts, 'part')} by ${by}, the largest with ${counted(largestPart, 'query', 'queries')}`,
    ...lines,
    ...(leaks.length > 0 ? leaks : ['  no query and no relevant document is in two splits']),
    ...advice,
  ].join('\n')}\n`;
}

function ratios(text: string): Record<string, number> {
  const parts = list(text).map((part) => /^([\w.-]+)=([\d.]+)$/.exec(part) ?? []);
  const shares = Object.fromEntries(parts.map(([, split, share]) => [split, Number(share)]));
  const values = Object.values(shares);
  if (values.length > 1 && values.length === parts.length && values.every((share) => share > 0))
    return shares;
  throw new InvalidArgumentError(
    'Expected shares above 0 of two splits or more, such as train=0.8,test=0.2.',
  );
}
