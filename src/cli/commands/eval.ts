import { Option } from 'commander';
import { NearmissError, UsageError } from '../../base/errors.js';
import { jsonText } from '../../base/printable.js';
import { count } from '../../base/progress.js';
import type { Evaluation } from '../../evaluate/evaluate.js';
import type { RegisterCommand } from '../command.js';
import { warnOfMissing } from '../inputs/warn-of-missing.js';
import { wholeNumber, words } from '../options/option-parsers.js';
import { print, printData } from '../output.js';

const FORMATS = ['table', 'trec', 'json', 'jsonl'] as const;

interface EvalOptions {
  measure?: string[];
  perQuery?: boolean;
  complete?: boolean;
  level: number;
  maxHits?: number;
  judgedOnly?: boolean;
  format?: (typeof FORMATS)[number];
  json?: boolean;
  split?: string;
  msmarco?: boolean;
  dropIdentical?: boolean;
  floatScores?: boolean;
  list?: boolean;
}

const DEFAULT_MEASURES = ['nDCG@10', 'RR@10', 'AP', 'R@100', 'R@1000'];

const EXAMPLES = `
Examples:
  nearmiss eval runs/medquad --split test                       a training run beside BM25, the hybrid and its start
  nearmiss eval data/scifact --split test                       a collection as it can be searched untrained
  nearmiss eval run.trec qrels.txt                              a run file: the usual measures
  nearmiss eval run.trec.gz qrels.txt -m nDCG@10 -m 'R@100 AP'  these ones
  nearmiss eval run.trec data/scifact --split test              judgments of a dataset
  nearmiss eval run.trec qrels.dl19.txt -c -l 2 -m map          TREC DL: relevant from grade 2
  nearmiss eval run.trec qrels.txt --format trec -q             as trec_eval prints it
  nearmiss eval run.tsv qrels.dev.tsv --msmarco -m RR@10        MS MARCO's MRR@10
  nearmiss eval run.trec data/squad --split test -m Coverage@20  passages that hold an answer

Measures are written as in ir_measures (nDCG@10, P(rel=2)@5, nDCG(dcg='exp-log2')@10) or as in trec_eval
(ndcg_cut_10, recip_rank, P.5,10, official, all_trec); nearmiss eval --list shows them all.`;

export const registerEval: RegisterCommand = (program) => {
  program
    .command('eval')
    .summary('measure a run file against judgments, or a training run or collection on a split')
    .description(
      'Measures how good rankings are: those of a run file, with the digits of trec_eval, or those of a training run or a collection in every way it can be searched.',
    )
    .argument(
      '[run]',
      'run file (TREC or MS MARCO, plain or gzip; - is standard input), or the folder of a training run or a collection',
    )
    .argument('[qrels]', 'of a run file: qrels file (TREC or BEIR), or dataset folder')
    .option('-m, --measure <measures>', 'measures, may be repeated', words)
    .option('-q, --per-query', 'show every query too')
    .option('-c, --complete', 'average over all queries of the qrels; missing ones count as 0')
    .option('-l, --level <grade>', 'lowest grade that counts as relevant', wholeNumber(0), 1)
    .option('-M, --max-hits <n>', 'look only at the first n hits of each query', wholeNumber(1))
    .option('-J, --judged-only', 'leave hits without a judgment out first')
    .option(
      '--split <name>',
      'split of the dataset folder; of a training run or a collection: test unless given',
    )
    .option('--msmarco', "MS MARCO's rules: order by the rank column, average over all queries of the qrels")
    .option('--drop-identical', "drop hits whose id is the query's, as BEIR does (ArguAna, Quora)")
    .option(
      '--float-scores',
      'compare scores in single precision, as trec_eval up to 9.0.8 and pytrec_eval do',
    )
    .addOption(new Option('--format <format>', 'how to print').choices(FORMATS).default('table'))
    .option('--json', 'the same as --format json')
    .option('--list', 'show all measures')
    .addHelpText('after', EXAMPLES)
    .action(async (run: string | undefined, qrels: string | undefined, options: EvalOptions) => {
      if (options.list) return print(await listMeasures());
      const { evalSystems, isFolder } = await import('./eval-systems.js');
      if (run !== undefined && (await isFolder(run))) {
        if (qrels === undefined) return print(await evalSystems(run, options));
        throw new UsageError(`${run}: this is a folder, not a run file: its own judgments are taken`, {
          hint: `nearmiss eval ${run} --split test; nearmiss search ${run} --queries … --run FILE makes a run file of it`,
        });
      }
      const { exists } = await import('../../base/files.js');
      if (run !== undefined && qrels === undefined && run !== '-' && !(await exists(run))) {
        throw new NearmissError(`${run}: no such file or folder`, { hint: 'check the path' });
      }
      for await (const text of evalCommand(run, qrels, options)) await printData(text);
    });
};

async function* evalCommand(
  runPath: string | undefined,
  qrelsPath: string | undefined,
  options: EvalOptions,
): AsyncGenerator<string> {
  if (runPath === undefined || qrelsPath === undefined) {
    throw new UsageError('expected a run file and qrels, or the folder of a training run or a collection', {
      hint: 'nearmiss eval run.trec qrels.txt, or nearmiss eval runs/mine --split test',
    });
  }
  const [{ evaluate }, { parseMeasureList }, { readRun }, { formatTrec, inTrecOrder }, { loadQrels }] =
    await Promise.all([
      import('../../evaluate/evaluate.js'),
      import('../../evaluate/parse-measure.js'),
      import('../../evaluate/read-run.js'),
      import('../../evaluate/trec-format.js'),
      import('../inputs/load-qrels.js'),
    ]);
  const trec = options.format === 'trec' && !options.json;
  const asked = options.measure ?? (trec ? ['official'] : DEFAULT_MEASURES);
  const measures = parseMeasureList(asked);
  const { qrels, dataset, split } = await loadQrels(qrelsPath, options.split);
  const run = await readRun(runPath, {
    order: options.msmarco ? 'rank' : 'score',
    singlePrecision: options.floatScores,
  });
  const depth = Math.max(0, ...measures.map(({ depth }) => depth ?? 0));
  const answerRanks =
    dataset && depth > 0
      ? await (await import('../../evaluate/answer-ranks.js')).findAnswerRanks(dataset, run, {
          split,
          depth: Math.min(depth, options.maxHits ?? depth),
          dropIdentical: options.dropIdentical,
        })
      : undefined;
  const complete = options.complete || options.msmarco;
  const evaluation = evaluate(run, qrels, trec ? inTrecOrder(measures) : measures, {
    level: options.level,
    complete,
    depth: options.maxHits,
    judgedOnly: options.judgedOnly,
    dropIdentical: options.dropIdentical,
    answerRanks,
  });
  if (!complete) {
    const among = `${count(qrels.size)} judged queries`;
    warnOfMissing({ run: run.tag, missing: evaluation.missing, among, leftOut: true });
  }
  const perQuery = options.perQuery ?? false;
  if (trec) yield* formatTrec(evaluation, { perQuery });
  else if (options.json || options.format === 'json') yield jsonReport(evaluation, perQuery);
  else if (options.format === 'jsonl') yield* jsonLines(evaluation, perQuery);
  else yield await tableReport(evaluation, perQuery);
}

function jsonReport(
  { tag, queries, missing, mean, perQuery, measures }: Evaluation,
  withQueries: boolean,
): string {
  const names = numeric(measures);
  const values = (from: (name: string) => number): Record<string, number> =>
    Object.fromEntries(names.map((name) => [name, from(name)]));
  const report = {
    run: tag,
    queries: queries.length,
    missing,
    mean: values((name) => mean[name]),
    ...(withQueries && {
      perQuery: Object.fromEntries(queries.map((query, q) => [query, values((name) => perQuery[name][q])])),
    }),
  };
  return `${jsonText(report, 2)}\n`;
}

function* jsonLines(
  { queries, mean, perQuery, measures }: Evaluation,
  withQueries: boolean,
): Generator<string> {
  const names = numeric(measures);
  const line = (query: string, measure: string, value: number): string =>
    `${jsonText({ query_id: query, measure, value })}\n`;
  if (withQueries) {
    for (let q = 0; q < queries.length; q++) {
      yield names.map((name) => line(queries[q], name, perQuery[name][q])).join('');
    }
  }
  yield names.map((name) => line('all', name, mean[name])).join('');
}

async function tableReport(evaluation: Evaluation, withQueries: boolean): Promise<string> {
  const [{ formatTable }, { formatValue }] = await Promise.all([
    import('../../base/table.js'),
    import('../../evaluate/trec-format.js'),
  ]);
  const { queries, mean, perQuery } = evaluation;
  const measures = evaluation.measures.filter(({ text }) => !text);
  if (!withQueries) {
    const rows = measures.map((measure) => [measure.name, formatValue(measure, mean[measure.name])]);
    return formatTable({ header: ['measure', `${queries.length} queries`], rows, numeric: [false, true] });
  }
  const rows = queries.map((query, q) => [
    query,
    ...measures.map((measure) => formatValue(measure, perQuery[measure.name][q])),
  ]);
  rows.push(['all', ...measures.map((measure) => formatValue(measure, mean[measure.name]))]);
  const header = ['query', ...measures.map(({ name }) => name)];
  return formatTable({ header, rows, numeric: header.map((_, column) => column > 0) });
}

async function listMeasures(): Promise<string> {
  const [{ MEASURE_FAMILIES }, { TREC_FAMILIES, TREC_NICKNAMES }, { formatTable }] = await Promise.all([
    import('../../evaluate/measures/families.js'),
    import('../../evaluate/measures/trec-families.js'),
    import('../../base/table.js'),
  ]);
  const cutoffs = { required: '@k', optional: '[@k]', none: '', recall: '@recall' };
  const rows = MEASURE_FAMILIES.map(({ name, cutoff, parameters, aliases = [], about }) => [
    `${name}${parameters.length > 0 ? `(${parameters.join(', ')})` : ''}${cutoffs[cutoff]}`,
    aliases.join(', '),
    about,
  ]);
  const table = formatTable({
    header: ['measure', 'also', ''],
    rows,
    numeric: [false, false, false],
  });
  const trec = TREC_FAMILIES.map(({ name, each, together }) => (each || together ? `${name}[.n,…]` : name));
  return `${table}\ntrec_eval's names: ${trec.join(' ')}\nand its groups: ${[...TREC_NICKNAMES.keys()].join(' ')}\n`;
}

function numeric(measures: Evaluation['measures']): string[] {
  return measures.filter(({ text }) => !text).map(({ name }) => name);
}
