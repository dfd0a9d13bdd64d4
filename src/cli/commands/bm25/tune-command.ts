import type { Command } from 'commander';
import type { Bm25Grid, Bm25Trial } from '../../../evaluate/tune-bm25.js';
import { loadQueries } from '../../inputs/load-queries.js';
import { numbersBetween, wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';

interface TuneFlags {
  data: string;
  split: string;
  measure: string;
  k1?: number[];
  b?: number[];
  rm3?: boolean;
  depth?: number;
  threads?: number;
  save?: boolean;
  json?: boolean;
}

/** Trials shown in the table; --json shows all. */
const SHOWN = 10;

const EXAMPLES = `
Tune on a dev or train split and report on test, never on the split that was tuned on.

Examples:
  nearmiss bm25 tune indexes/medquad --data data/medquad --split dev --measure nDCG@10
  nearmiss bm25 tune indexes/scifact --data data/scifact --split train --measure R@100 --k1 0.6,0.9,1.2 --b 0.3,0.6
  nearmiss bm25 tune indexes/scifact --data data/scifact --split train --rm3      RM3's numbers, too`;

export function registerBm25Tune(bm25: Command): void {
  bm25
    .command('tune')
    .summary('find good k1 and b')
    .description(
      'Tries k1 and b (and RM3) on a grid and shows what is best on a split. The index stays as it is, unless --save keeps the best with it.',
    )
    .argument('<index>', 'folder that "bm25 index" made')
    .requiredOption('--data <path>', 'collection with the queries and judgments')
    .option('--split <name>', 'split to tune on', 'dev')
    .option('-m, --measure <name>', 'what to maximise', 'nDCG@10')
    .option(
      '--k1 <numbers>',
      'values of k1 to try (default: 0.3 to 2.5, or 1 to 80 where a model weighed the words)',
      numbersBetween(0, 1000),
    )
    .option('--b <numbers>', 'values of b to try (default: 0.1 to 0.9)', numbersBetween(0, 1))
    .option('--rm3', 'then try RM3 with the best of them; the index needs vectors')
    .option('--depth <n>', 'documents retrieved a query (default: what the measure needs)', wholeNumber(1))
    .option('--threads <n>', 'threads (default: all)', wholeNumber(1))
    .option('--save', 'keep the best k1 and b with the index: searches take them unless told otherwise')
    .option('--json', 'print all trials as JSON, best first')
    .addHelpText('after', EXAMPLES)
    .action(tuneAction);
}

async function tuneAction(folder: string, flags: TuneFlags): Promise<void> {
  const [{ openDataset }, { openBm25Index }, tuning, { parseMeasure }, { Progress }] = await Promise.all([
    import('../../../data/open.js'),
    import('../../../index/bm25/open.js'),
    import('../../../evaluate/tune-bm25.js'),
    import('../../../evaluate/parse-measure.js'),
    import('../../../base/progress.js'),
  ]);
  parseMeasure(flags.measure);
  const dataset = await openDataset(flags.data);
  const qrels = await dataset.qrels(flags.split);
  const queries = await loadQueries(dataset, flags.split);
  const index = await openBm25Index(folder);
  const usual = tuning.usualGrid(index);
  const grid: Bm25Grid = {
    k1: flags.k1 ?? usual.k1,
    b: flags.b ?? usual.b,
    rm3: flags.rm3 ? tuning.DEFAULT_RM3_GRID : undefined,
  };
  const progress = new Progress({ label: 'tune', unit: 'trials', total: tuning.gridSize(grid) });
  const trials = await tuning.tuneBm25(index, queries, qrels, {
    ...flags,
    grid,
    onTrial: () => progress.advance(),
  });
  progress.finish();
  if (flags.save) {
    const { saveParameters } = await import('../../../index/bm25/save-parameters.js');
    await saveParameters(folder, trials[0]);
  }
  if (flags.json) printJson({ measure: flags.measure, split: flags.split, trials });
  else print(await formatTrials(trials, flags.measure));
}

async function formatTrials(trials: readonly Bm25Trial[], measure: string): Promise<string> {
  const { formatTable } = await import('../../../base/table.js');
  const rows = trials
    .slice(0, SHOWN)
    .map(({ k1, b, rm3, value }) => [
      value.toFixed(4),
      `${k1}`,
      `${b}`,
      rm3
        ? `${rm3.feedbackDocuments} documents, ${rm3.feedbackTerms} terms, weight ${rm3.originalWeight}`
        : '',
    ]);
  return formatTable({ header: [measure, 'k1', 'b', 'RM3'], rows, numeric: [true, true, true, false] });
}
