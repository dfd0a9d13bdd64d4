import { type Command, InvalidArgumentError } from 'commander';
import { list, numbersBetween, repeated, wholeNumber } from '../../options/option-parsers.js';
import { type StudyOptions, showStudy, studyCommand } from './study-command.js';

interface ProductionCommandOptions extends StudyOptions {
  distractors?: string[];
  sizes?: number[];
}

interface AsynchronyCommandOptions extends StudyOptions {
  intervals: number[];
  rates: number[];
  shares?: { trainer: number; inferencer: number }[];
}

const PRODUCTION_EXAMPLES = `
Examples:
  nearmiss repro production --data data/scifact --distractors data/medquad --distractors data/squad
  nearmiss repro production --data data/scifact --distractors data/medquad --sizes 5183,10000,20000 --size small

Trains a baseline (recipe dpr) and ANCE (ance-firstp) with vectors of 384 numbers, of 64 by a trained projection, and of 384 of which 64
are kept (Matryoshka), and searches exactly, in a graph, and by codes of 8 and 1 bits, among the collection's documents and those of other
collections. The table has the relative gain of RR@10 in each setting, as the ANCE paper's Table 4. Runs, vectors and rankings that are
done are kept. It is also written to OUT/production.md and OUT/production.json.`;

const EFFICIENCY_EXAMPLES = `
Examples:
  nearmiss repro efficiency --data data/medquad
  nearmiss repro efficiency --data data/medquad --size quick --trainer-threads 1 --inferencer-threads 1

Trains ance-firstp and says what its parts cost: a refresh (encode, index, search), a step, a query, beside BM25. It is also written to
OUT/efficiency.md and OUT/efficiency.json.`;

const ASYNCHRONY_EXAMPLES = `
Examples:
  nearmiss repro asynchrony --data data/medquad --intervals 25,100 --rates 5e-5,2e-4
  nearmiss repro asynchrony --data data/medquad --shares 1:1,2:2 --size small

Trains ance-firstp beside its Inferencer with every combination of steps between checkpoints, learning rate, and threads of Trainer and
Inferencer. It is also written to OUT/asynchrony.md, .json and .svg (the measure by step, a line a setting).`;

/** Experiments of the ANCE paper that are no tables of rows. */
export function registerStudies(repro: Command): void {
  studyCommand(repro, 'production')
    .summary("gains of ANCE by dimensions, index and size: the ANCE paper's Table 4")
    .description(
      'Compares ANCE with a baseline at different dimensions, indexes and sizes of the collection.',
    )
    .option('--distractors <dir>', 'a collection whose documents are put beside (repeatable)', repeated)
    .option('--sizes <list>', 'documents to search (default: its own, and all)', wholeNumberList)
    .addHelpText('after', PRODUCTION_EXAMPLES)
    .action(productionCommand);
  studyCommand(repro, 'efficiency')
    .summary("what the parts of ANCE cost: the ANCE paper's Table 5")
    .description('Trains ANCE for some steps and says what its parts cost, beside BM25.')
    .addHelpText('after', EFFICIENCY_EXAMPLES)
    .action(efficiencyCommand);
  studyCommand(repro, 'asynchrony')
    .summary("refresh interval, learning rate and threads: the ANCE paper's Figure 5")
    .description('Trains ANCE beside its Inferencer in different settings, and compares how it learns.')
    .option('--intervals <list>', 'steps between checkpoints', wholeNumberList, [25, 100])
    .option('--rates <list>', 'learning rates', numbersBetween(0), [5e-5, 2e-4])
    .option('--shares <list>', 'threads of Trainer and Inferencer, e.g. 1:1,2:1', threadShares)
    .addHelpText('after', ASYNCHRONY_EXAMPLES)
    .action(asynchronyCommand);
}

async function productionCommand(options: ProductionCommandOptions): Promise<void> {
  const [{ reproduceProduction }, { productionText }] = await Promise.all([
    import('../../../repro/production/production.js'),
    import('../../../repro/production/report.js'),
  ]);
  const { distractors = [], sizes } = options;
  await showStudy('production', options, {
    reproduce: (study, say) =>
      reproduceProduction({
        ...study,
        distractors,
        sizes,
        onCell: ({ documents, space, search, baseline, ance }) =>
          say(
            `${documents} documents, ${space}, ${search}: RR@10 ${baseline['RR@10'].toFixed(4)} and ${ance['RR@10'].toFixed(4)}`,
          ),
      }),
    text: productionText,
  });
}

async function efficiencyCommand(options: StudyOptions): Promise<void> {
  const { efficiencyText, reproduceEfficiency } = await import('../../../repro/efficiency/efficiency.js');
  await showStudy('efficiency', options, { reproduce: reproduceEfficiency, text: efficiencyText });
}

async function asynchronyCommand(options: AsynchronyCommandOptions): Promise<void> {
  const { asynchronyPlot, asynchronyText, reproduceAsynchrony } = await import(
    '../../../repro/asynchrony/asynchrony.js'
  );
  await showStudy('asynchrony', options, {
    reproduce: (study, say) =>
      reproduceAsynchrony({
        ...study,
        intervals: options.intervals,
        learningRates: options.rates,
        shares: options.shares ?? [study.supervise.threads],
        onCell: ({ interval, learningRate, best, last }) =>
          say(`every ${interval}, ${learningRate}: best ${best.toFixed(4)}, last ${last.toFixed(4)}`),
      }),
    text: asynchronyText,
    plot: asynchronyPlot,
  });
}

/** `1:1,2:1`: how the cores are shared, setting after setting. */
function threadShares(value: string): { trainer: number; inferencer: number }[] {
  return list(value).map((share) => {
    const [trainer, inferencer, ...rest] = share.split(':').map(wholeNumber(1));
    if (inferencer === undefined || rest.length > 0) {
      throw new InvalidArgumentError(`expected threads of Trainer and Inferencer such as 1:1, got ${share}`);
    }
    return { trainer, inferencer };
  });
}

function wholeNumberList(value: string): number[] {
  return list(value).map(wholeNumber(1));
}
