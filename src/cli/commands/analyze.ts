import { dirname, join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Section } from '../../analyze/index.js';
import { UsageError } from '../../base/errors.js';
import { docPage } from '../../base/package-files.js';
import type { RegisterCommand } from '../command.js';
import { wholeNumber } from '../options/option-parsers.js';
import { print, printJson, tell } from '../output.js';

interface AnalyzeFlags {
  only?: Section[];
  data?: string;
  out?: string;
  queries: number;
  step?: number;
  threads?: number;
  json?: boolean;
  quiet?: boolean;
}

/** Listed here too, since the analysis itself is loaded only when it is asked for. */
const PARTS: Record<Section, string> = {
  curves:
    "loss and gradient norms, also by source; dev measures, age of the negatives, speed; from the run's events",
  gradients: 'how much negatives of each source would teach the model',
  'long-tail': 'how scores fall with the rank, and where the positives are',
  overlap: "how many training negatives are in the model's true top 100, by source and age",
  bm25: 'hits without a judgment, and hits shared with BM25, on the dev split',
  costs: 'seconds for encoding, indexing, searching, making batches, learning, serving',
  compare: 'loss, gradient norms by layer group and dev measures of several runs over each other',
};

const EXAMPLES = `
Parts:
${Object.entries(PARTS)
  .map(([part, about]) => `  ${part.padEnd(10)} ${about}`)
  .join('\n')}

Examples:
  nearmiss analyze runs/medquad                                     writes runs/medquad/report/index.html
  nearmiss analyze runs/medquad --only curves                       at once, also before the first checkpoint
  nearmiss analyze runs/medquad --only gradients,overlap --queries 1000
  nearmiss analyze runs/every10 runs/every50 --only compare --out reports/refresh
  nearmiss analyze runs/medquad --json | jq .overlap.sources

The run may be going on; nothing that it reads is changed. All but curves and compare look at the newest checkpoint
whose index is there, or at that of --step. Searches are exact: where the run's own index is approximate, the
collection is encoded once more. ${docPage('analysis')} says what each figure means.`;

/** `nearmiss analyze`: what happened in a run, and how good its negatives are. */
export const registerAnalyze: RegisterCommand = (program) => {
  program
    .command('analyze')
    .summary('look into a run: curves, negatives, overlaps, costs')
    .description('Analyses a run as the ANCE paper does, and writes a report with figures.')
    .argument(
      '<run...>',
      "the run's folder; with several, the first is analysed and compared with the others",
    )
    .option('--only <parts>', 'only these parts, with commas between them', parseParts)
    .option('--data <dir>', "the first run's collection, where that is not where the run says")
    .option('--out <dir>', "the report's folder (default: RUN/report)")
    .option('--queries <n>', 'training queries to sample', wholeNumber(1), 200)
    .option('--step <n>', 'checkpoint to look at (default: the newest with an index)', wholeNumber(0))
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .option('--json', 'print analysis.json in place of the tables')
    .option('--quiet', 'no progress')
    .addHelpText('after', EXAMPLES)
    .action(analyzeCommand);
};

async function analyzeCommand(runs: string[], flags: AnalyzeFlags): Promise<void> {
  const { analyzeRuns, REPORT_FOLDER, reportText, writeReport } = await import('../../analyze/index.js');
  const { checkContents } = await import('../../base/folders/folder-contents.js');
  const { requireWritable } = await import('../../base/folders/writable.js');
  const { only: sections, out = join(runs[0], 'report'), data, queries, step, threads, quiet } = flags;
  if (sections?.includes('compare') && runs.length === 1) {
    throw new UsageError('--only compare: expected two runs or more, got one', {
      hint: 'e.g. nearmiss analyze runs/every10 runs/every50 --only compare',
    });
  }
  // Before minutes are spent.
  await checkContents(out, REPORT_FOLDER);
  await requireWritable(dirname(out), 'choose a place you may write to with --out');
  const analysis = await analyzeRuns({ runs, data, sections, queries, step, threads, quiet });
  await writeReport(out, analysis);
  if (flags.json) printJson(analysis);
  else print(`${reportText(analysis)}\n`);
  if (!quiet) tell(`report: ${join(out, 'index.html')}\n`);
}

function parseParts(text: string): Section[] {
  const parts = text.split(',').map((part) => part.trim());
  const unknown = parts.find((part) => !(part in PARTS));
  if (unknown === undefined) return parts as Section[];
  throw new InvalidArgumentError(`Expected parts among ${Object.keys(PARTS).join(', ')}; got "${unknown}".`);
}
