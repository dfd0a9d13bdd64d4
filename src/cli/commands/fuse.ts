import { Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import { Progress } from '../../base/progress.js';
import type { Run } from '../../evaluate/run.js';
import type { RunFormat } from '../../evaluate/write-run.js';
import type { FusionMethod, Normalization } from '../../search/fusion/columns.js';
import type { TunedWeights } from '../../search/fusion/tune.js';
import type { RegisterCommand } from '../command.js';
import { numbersBetween, wholeNumber } from '../options/option-parsers.js';
import { print, printJson } from '../output.js';

interface FuseCommandOptions {
  out: string;
  method: FusionMethod;
  weights?: number[];
  normalize: Normalization;
  k: number;
  depth: number;
  tag?: string;
  tuneOn?: string;
  tuneSplit?: string;
  measure: string;
  format: RunFormat;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss fuse dense.trec bm25.trec --weights 1,0.1 --out hybrid.trec      s_dense + 0.1 s_BM25
  nearmiss fuse dense.trec bm25.trec --method rrf --out hybrid.trec         reciprocal rank fusion, k 60
  nearmiss fuse dense.trec bm25.trec --normalize minmax --out hybrid.trec
  nearmiss fuse dense.dev.trec bm25.dev.trec --tune-on qrels.dev.txt --measure RR@10 --out hybrid.dev.trec

In a linear fusion a document that one list lacks gets that list's lowest score for the query. Tune the weights on
development queries, never on the queries you report.`;

export const registerFuse: RegisterCommand = (program) => {
  program
    .command('fuse')
    .summary('fuse run files into one')
    .description('Fuses run files of the same queries: weighted sum of scores, or of reciprocal ranks.')
    .argument('<runs...>', 'two or more run files (TREC or MS MARCO)')
    .requiredOption('--out <path>', 'the fused run file')
    .addOption(new Option('--method <method>', 'how to fuse').choices(['linear', 'rrf']).default('linear'))
    .option('--weights <list>', 'one weight a file, with commas between (default: 1 each)', numbersBetween(0))
    .addOption(
      new Option('--normalize <how>', "of each query's scores, before a linear fusion")
        .choices(['none', 'minmax', 'zscore'])
        .default('none'),
    )
    .option('--k <n>', 'constant of reciprocal rank fusion', wholeNumber(0), 60)
    .option('--depth <n>', 'hits kept for each query', wholeNumber(1), 1000)
    .option('--tag <name>', "name of the fused system (default: the files' names joined by +)")
    .option('--tune-on <qrels>', 'find the weights that are best on these judgments (file or dataset folder)')
    .option('--tune-split <name>', 'split of the dataset folder')
    .option('--measure <measure>', 'what the weights are tuned for', 'nDCG@10')
    .addOption(
      new Option('--format <format>', 'of the fused run file').choices(['trec', 'msmarco']).default('trec'),
    )
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(fuseCommand);
};

async function fuseCommand(paths: string[], options: FuseCommandOptions): Promise<void> {
  checkUsage(paths, options);
  const [{ fuseRuns }, { readRun }, { writeRun }] = await Promise.all([
    import('../../search/fusion/fuse.js'),
    import('../../evaluate/read-run.js'),
    import('../../evaluate/write-run.js'),
  ]);
  const runs: Run[] = [];
  for (const path of paths) runs.push(await readRun(path));
  const settings = {
    method: options.method,
    normalization: options.normalize,
    k: options.k,
    depth: options.depth,
  };
  const tuned =
    options.tuneOn === undefined ? undefined : await tune(runs, options.tuneOn, options, settings);
  const weights = tuned?.weights ?? options.weights ?? runs.map(() => 1);
  const fused = fuseRuns(runs, { ...settings, weights, tag: options.tag });
  await writeRun(options.out, fused, { format: options.format });
  const report = {
    out: options.out,
    queries: fused.rankings.size,
    method: options.method,
    weights,
    ...(tuned && { measure: options.measure, tuned: tuned.value }),
  };
  if (options.json) printJson(report);
  else print(textReport(report));
}

async function tune(
  runs: Run[],
  path: string,
  options: FuseCommandOptions,
  settings: { method: FusionMethod; normalization: Normalization; k: number; depth: number },
): Promise<TunedWeights> {
  const [{ tuneWeights }, { parseMeasure }, { loadQrels }] = await Promise.all([
    import('../../search/fusion/tune.js'),
    import('../../evaluate/parse-measure.js'),
    import('../inputs/load-qrels.js'),
  ]);
  const measure = parseMeasure(options.measure);
  const { qrels } = await loadQrels(path, options.tuneSplit);
  const progress = new Progress({ label: 'tune', unit: 'weights' });
  const tuned = tuneWeights(runs, qrels, measure, { ...settings, onPoint: () => progress.advance() });
  progress.finish(`best ${options.measure} ${tuned.value.toFixed(4)}`);
  return tuned;
}

function textReport(report: {
  out: string;
  queries: number;
  weights: number[];
  measure?: string;
  tuned?: number;
}): string {
  const weights = report.weights.map((weight) => Number(weight.toPrecision(4))).join(',');
  const tuned = report.tuned === undefined ? '' : ` (${report.measure} ${report.tuned.toFixed(4)})`;
  return `${report.out}: ${report.queries} queries, weights ${weights}${tuned}\n`;
}

function checkUsage(paths: string[], options: FuseCommandOptions): void {
  if (paths.length < 2) throw new UsageError('expected two runs or more, got one');
  if (options.weights && options.tuneOn) {
    throw new UsageError('--weights and --tune-on exclude each other', { hint: 'leave one of them off' });
  }
  if (options.weights && options.weights.length !== paths.length) {
    throw new UsageError(
      `--weights: expected ${paths.length} numbers, one for each run, got ${options.weights.length}`,
    );
  }
  if (options.tuneSplit !== undefined && options.tuneOn === undefined) {
    throw new UsageError('--tune-split is of no use without --tune-on');
  }
}
