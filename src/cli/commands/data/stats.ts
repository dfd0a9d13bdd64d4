import type { Command } from 'commander';
import type { DistributionSummary } from '../../../data/distribution.js';
import type { DatasetStats } from '../../../data/stats.js';
import { print, printJson } from '../../output.js';
import { addSourceOptions, type SourceFlags, toOpenOptions } from './source-options.js';

export function registerStats(data: Command): void {
  const command = data
    .command('stats')
    .summary('count and describe a collection')
    .description('Shows counts, lengths in words, judgments of each query and the overlap of the splits.')
    .argument('<source>', 'a BEIR folder, or anything that import reads');
  addSourceOptions(command)
    .option('--json', 'print the figures as JSON')
    .action(statsAction)
    .addHelpText(
      'after',
      `
Examples:
  nearmiss data stats data/scifact
  nearmiss data stats data/scifact --json | jq '.overlaps'
`,
    );
}

async function statsAction(source: string, flags: SourceFlags & { json?: boolean }): Promise<void> {
  const [{ openDataset }, { datasetStats }, { Progress }, { tellLeftOut }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../data/stats.js'),
    import('../../../base/progress.js'),
    import('../../inputs/tell-left-out.js'),
  ]);
  const dataset = await openDataset(source, toOpenOptions(flags));
  const progress = new Progress({ label: 'stats', unit: 'records' });
  const stats = await datasetStats(dataset, { onRecord: () => progress.advance() });
  progress.finish();
  tellLeftOut(dataset.sources);
  const { leftOut } = dataset.sources;
  if (flags.json) printJson({ ...stats, leftOut });
  else print(describe(stats));
}

function describe(stats: DatasetStats): string {
  const { documents, queries } = stats;
  const lines = [
    stats.name,
    '',
    `documents  ${number(documents.count)} (${number(documents.withTitle)} with a title); words: ${figures(documents.words)}`,
    ...histogram(documents.words),
    '',
    `queries    ${number(queries.count)}; words: ${figures(queries.words)}`,
    ...histogram(queries.words),
    '',
    ...splitTable(stats),
    ...overlapLines(stats),
  ];
  return `${lines.join('\n')}\n`;
}

function splitTable({ splits }: DatasetStats): string[] {
  if (splits.length === 0) return ['no judgments'];
  const header = ['split', 'queries', 'judgments', 'positives per query', 'grades', 'examples'];
  const rows = splits.map(({ split, queries, judgments, positivesPerQuery: positives, grades, examples }) => [
    split,
    number(queries),
    number(judgments),
    `mean ${positives.mean.toFixed(2)}, max ${number(positives.max)}`,
    Object.entries(grades)
      .sort(([a], [b]) => Number(a) - Number(b))
      .map(([grade, times]) => `${grade}: ${number(times)}`)
      .join(', '),
    examples
      ? `${number(examples.count)} with ${examples.negativesPerExample.mean.toFixed(1)} negatives`
      : '-',
  ]);
  const table = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}

function overlapLines({ overlaps }: DatasetStats): string[] {
  if (overlaps.length === 0) return [];
  const lines = overlaps
    .filter(({ queries, positives }) => queries + positives > 0)
    .map(
      ({ splits, queries, positives }) =>
        `  ${splits.join(' and ')} share ${number(queries)} queries and ${number(positives)} relevant documents`,
    );
  return [
    '',
    'overlap',
    ...(lines.length > 0 ? lines : ['  none: no query and no relevant document is in two splits']),
  ];
}

const BAR_WIDTH = 40;

function histogram({ bars }: DistributionSummary): string[] {
  const most = bars.reduce((largest, { count }) => Math.max(largest, count), 1);
  return bars.map(({ from, to, count }) => {
    const range = to - from === 1 ? `${from}` : `${from}–${to - 1}`;
    const bar = '█'.repeat(Math.ceil((count / most) * BAR_WIDTH));
    return `  ${range.padStart(13)}  ${bar} ${number(count)}`;
  });
}

function figures({ mean, median, p90, p99, max }: DistributionSummary): string {
  return `mean ${mean.toFixed(1)}, median ${median}, 90% ≤ ${p90}, 99% ≤ ${p99}, max ${number(max)}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
