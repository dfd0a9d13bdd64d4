import { Option } from 'commander';
import { secondsSince } from '../../base/numbers/seconds-since.js';
import type { Precision } from '../../model/precision/precision.js';
import { NORMALIZATIONS, type Normalization } from '../../teacher/normalize.js';
import type { RegisterCommand } from '../command.js';
import { addFleetOptions, type FleetFlags, fleetOf } from '../fleet/fleet-options.js';
import { repeated, wholeNumber } from '../options/option-parsers.js';
import { precisionOption } from '../options/precision-option.js';

interface LabelFlags extends FleetFlags {
  model: string[];
  candidates: string;
  split: string;
  depth: number;
  normalize: Normalization;
  out: string;
  threads?: number;
  precision?: Precision;
  quiet?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss train --data data/medquad --recipe reranker --out runs/reranker
  nearmiss mine data/medquad --out negatives/medquad
  nearmiss label data/medquad --model runs/reranker --candidates negatives/medquad --out labels.trec
  nearmiss label data/medquad --model runs/a --model runs/b --normalize z-score --candidates bm25.trec --out labels.trec
  nearmiss train --data data/medquad --recipe margin-mse --out runs/distilled

Each query's positives and first candidates are scored. Every score is kept by the model and the two texts: whoever asks the
same model again, this command after a kill or a recipe, gets it from the disk. The run appears when everything is scored,
or not at all.`;

/** `nearmiss label`: teachers' scores, to distil from. */
export const registerLabel: RegisterCommand = (program) => {
  const label = program
    .command('label')
    .summary('score candidates with a teacher')
    .description(
      'Scores positives and candidates of the training queries with cross-encoders or retrievers, to distil from.',
    )
    .argument('<data>', 'a BEIR folder, or any collection that "nearmiss data import" reads')
    .requiredOption(
      '--model <run|dir>',
      'a run, e.g. of the recipe reranker or colbert, or a model’s folder; several: the mean',
      repeated,
    )
    .requiredOption('--candidates <path>', 'a folder that "nearmiss mine" made, or a TREC run')
    .requiredOption('--out <file>', 'the scores, as a TREC run')
    .option('--split <name>', 'split whose queries are labelled', 'train')
    .option('--depth <n>', 'candidates of each query, besides its positives', wholeNumber(1), 50)
    .addOption(
      new Option('--normalize <how>', "each model's scores of a query before the mean is taken")
        .choices(NORMALIZATIONS)
        .default('none'),
    )
    .option('--threads <n>', 'threads (default: all cores)', wholeNumber(1))
    .addOption(precisionOption())
    .option('--quiet', 'no progress on stderr')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', EXAMPLES)
    .action(labelCommand);
  addFleetOptions(label, 'score');
};

async function labelCommand(path: string, flags: LabelFlags): Promise<void> {
  const fleet = fleetOf(flags, flags);
  const [
    { openDataset, JUDGED_SPLIT },
    { loadMiningData },
    { labelCandidates },
    { writeRun },
    { count, Progress },
    { print, printJson },
  ] = await Promise.all([
    import('../../data/index.js'),
    import('../../negatives/index.js'),
    import('../label-candidates.js'),
    import('../../evaluate/write-run.js'),
    import('../../base/progress.js'),
    import('../output.js'),
  ]);
  const { split, quiet, out, json } = flags;
  const dataset = await openDataset(path, split === JUDGED_SPLIT ? {} : { judgments: false });
  const data = await loadMiningData(dataset, { split, texts: true });
  try {
    const started = performance.now();
    let progress: InstanceType<typeof Progress> | undefined;
    const labelled = await labelCandidates(data, {
      ...flags,
      models: flags.model,
      fleet,
      onProgress({ pairs, tokens }, total) {
        progress ??= new Progress({ label: 'label', unit: 'pairs', total, quiet });
        const seconds = secondsSince(started);
        progress.advance(pairs, `${count(Math.round(tokens / seconds))} tokens/s`);
      },
    });
    progress?.finish();
    await writeRun(out, labelled.run);
    const { pairs, computed, tokens } = labelled;
    const seconds = secondsSince(started);
    const queries = labelled.run.rankings.size;
    if (json) printJson({ queries, pairs, computed, tokens, seconds, out });
    else {
      print(
        `${out}: ${count(pairs)} scores of ${count(queries)} queries, ${count(computed)} of them computed now\n`,
      );
    }
  } finally {
    await data.close();
  }
}
