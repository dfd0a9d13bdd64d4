import { Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import { count } from '../../base/progress.js';
import type { TableFormat } from '../../base/table.js';
import type { Comparison, SignificanceTest } from '../../evaluate/compare.js';
import type { Run } from '../../evaluate/run.js';
import type { Correction } from '../../evaluate/significance/correction.js';
import type { RegisterCommand } from '../command.js';
import { warnOfMissing } from '../inputs/warn-of-missing.js';
import { numberBetween, wholeNumber, words } from '../options/option-parsers.js';
import { print, printJson } from '../output.js';

interface CompareCommandOptions {
  qrels: string;
  split?: string;
  measure?: string[];
  baseline?: string;
  names?: string;
  test: SignificanceTest;
  correction: Correction;
  alpha: number;
  permutations: number;
  seed: number;
  overlap: number;
  wins?: number;
  complete?: boolean;
  level: number;
  maxHits?: number;
  dropIdentical?: boolean;
  format: TableFormat | 'json';
  json?: boolean;
}

const DEFAULT_MEASURES = ['nDCG@10', 'AP', 'R@100'];

const EXAMPLES = `
Examples:
  nearmiss compare bm25.trec ance.trec --qrels qrels.txt
  nearmiss compare bm25.trec dense.trec ance.trec --qrels data/scifact --split test --baseline bm25 -m nDCG@10
  nearmiss compare a.trec b.trec --qrels qrels.txt -m nDCG@10 --wins 5       queries with the largest differences
  nearmiss compare a.trec b.trec --qrels qrels.txt --format latex            a table for a paper
  nearmiss compare a.trec b.trec --qrels qrels.txt --json                    everything, for a program

Letters mark the systems that a value is significantly better than. p-values are two-sided and corrected for the
number of pairs; win/tie/loss counts queries.`;

export const registerCompare: RegisterCommand = (program) => {
  program
    .command('compare')
    .summary('compare run files, with significance tests')
    .description(
      'Compares run files query by query: means, paired tests, wins and losses, overlap of their hits.',
    )
    .argument('<runs...>', 'two or more run files (TREC or MS MARCO)')
    .requiredOption('--qrels <path>', 'qrels file, or dataset folder')
    .option('--split <name>', 'split of the dataset folder')
    .option('-m, --measure <measures>', 'measures, may be repeated', words)
    .option('--baseline <system>', 'compare only with this one (its name, file or place from 1)')
    .option('--names <names>', 'what to call the systems, with commas between')
    .addOption(new Option('--test <test>', 'test that decides').choices(['t', 'fisher']).default('t'))
    .addOption(
      new Option('--correction <method>', 'for several pairs')
        .choices(['holm', 'bonferroni', 'none'])
        .default('holm'),
    )
    .option('--alpha <p>', 'significant below this', numberBetween(0, 1), 0.05)
    .option('--permutations <n>', 'of the randomisation test', wholeNumber(1), 10_000)
    .option('--seed <n>', 'of the randomisation test', wholeNumber(0), 42)
    .option('--overlap <k>', 'hits compared for the overlap', wholeNumber(1), 10)
    .option('--wins <n>', 'list n queries with the largest gains and losses', wholeNumber(1))
    .option('-c, --complete', 'use all queries of the qrels, not only those that some of them answer')
    .option('-l, --level <grade>', 'lowest grade that counts as relevant', wholeNumber(0), 1)
    .option('-M, --max-hits <n>', 'look only at the first n hits of each query', wholeNumber(1))
    .option('--drop-identical', "drop hits whose id is the query's, as BEIR does")
    .addOption(
      new Option('--format <format>', 'how to print')
        .choices(['text', 'markdown', 'latex', 'json'])
        .default('text'),
    )
    .option('--json', 'the same as --format json')
    .addHelpText('after', EXAMPLES)
    .action(compareCommand);
};

async function compareCommand(paths: string[], options: CompareCommandOptions): Promise<void> {
  const [{ compareRuns }, { formatComparison }, { readRun, runName }, { loadQrels }] = await Promise.all([
    import('../../evaluate/compare.js'),
    import('../../evaluate/compare-report.js'),
    import('../../evaluate/read-run.js'),
    import('../inputs/load-qrels.js'),
  ]);
  if (paths.length < 2)
    throw new UsageError('expected two run files or more, got one', { hint: 'use nearmiss eval' });
  const { qrels } = await loadQrels(options.qrels, options.split);
  const runs: Run[] = [];
  for (const path of paths) runs.push(await readRun(path));
  const names = systemNames(paths, runs, options.names, runName);
  const comparison = compareRuns(runs, qrels, options.measure ?? DEFAULT_MEASURES, {
    ...options,
    depth: options.maxHits,
    overlapDepth: options.overlap,
    baseline: options.baseline === undefined ? undefined : findSystem(options.baseline, names, paths),
  });
  const among = `${count(comparison.queries.length)} queries`;
  comparison.evaluations.forEach(({ missing }, system) => {
    warnOfMissing({ run: names[system], missing, among });
  });
  if (options.json || options.format === 'json') {
    printJson(jsonComparison(comparison, names), 2);
  } else {
    const { format } = options;
    print(formatComparison(comparison, { names, format, differences: options.wins }));
  }
}

/** Tags where they tell the runs apart, file names otherwise. */
function systemNames(
  paths: string[],
  runs: Run[],
  given: string | undefined,
  runName: (path: string) => string,
): string[] {
  if (given !== undefined) {
    const names = given.split(',').map((name) => name.trim());
    if (names.length === runs.length && new Set(names).size === names.length) return names;
    throw new UsageError(`--names: expected ${runs.length} different names, got "${given}"`);
  }
  const tags = runs.map(({ tag }) => tag);
  if (new Set(tags).size === tags.length) return tags;
  const files = paths.map(runName);
  return new Set(files).size === files.length ? files : paths;
}

function findSystem(wanted: string, names: string[], paths: string[]): number {
  const place = /^\d+$/.test(wanted) ? Number(wanted) - 1 : -1;
  const found = [names.indexOf(wanted), paths.indexOf(wanted), place].find((index) => index in names);
  if (found !== undefined) return found;
  throw new UsageError(`--baseline: no run called "${wanted}"`, { hint: `the runs are ${names.join(', ')}` });
}

function jsonComparison(comparison: Comparison, names: string[]): unknown {
  const { evaluations, measures, pairs, overlaps, queries, options } = comparison;
  const named = <T extends { system: number; reference: number }>(pair: T): object => ({
    ...pair,
    system: names[pair.system],
    reference: names[pair.reference],
  });
  return {
    queries,
    options: { ...options, baseline: options.baseline === undefined ? null : names[options.baseline] },
    systems: evaluations.map(({ mean, perQuery, missing }, system) => ({
      name: names[system],
      missing,
      mean,
      perQuery: Object.fromEntries(measures.map(({ name }) => [name, [...perQuery[name]]])),
    })),
    pairs: pairs.map(named),
    overlaps: overlaps.map(named),
  };
}
