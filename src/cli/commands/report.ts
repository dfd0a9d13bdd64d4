import { dirname, join } from 'node:path';
import { Option } from 'commander';
import type { SharedReport } from '../../analyze/index.js';
import { PROJECTIONS, type Projection } from '../../analyze/space/space-picture.js';
import type { StudyProgress } from '../../analyze/study-progress.js';
import { writeFileAtomic } from '../../base/files.js';
import { checkContents } from '../../base/folders/folder-contents.js';
import { requireWritable } from '../../base/folders/writable.js';
import { docPage } from '../../base/package-files.js';
import type { RegisterCommand } from '../command.js';
import { repeated, wholeNumber } from '../options/option-parsers.js';
import { print, printJson, tell } from '../output.js';
import { StudyBars } from '../study-bars.js';

interface ReportFlags {
  out?: string;
  data?: string;
  split?: string;
  query?: string[];
  method: Projection;
  queries: number;
  svg?: boolean;
  png?: boolean;
  threads?: number;
  json?: boolean;
  quiet?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss report runs/medquad                            writes runs/medquad/report.html
  nearmiss report runs/medquad --out medquad.html --png   and each figure in medquad-figures/, as SVG and PNG
  nearmiss report runs/medquad --split test               quality on the test split
  nearmiss report runs/medquad --query q17 --query q42 --method umap
  nearmiss report runs/medquad --json | jq .quality.systems

The page loads nothing from anywhere: it can be mailed or put on any web server. It has everything that
\`nearmiss analyze\` draws, the measures of BM25, the model before and after training and their hybrid, the
queries on which training gains and loses most, and the space around some queries. What takes long is kept
in RUN/cache. --png needs a Chromium or Chrome on the PATH (or in CHROMIUM). ${docPage('report')} says more.`;

/** `nearmiss report`: a run in one file, for sharing. */
export const registerReport: RegisterCommand = (program) => {
  program
    .command('report')
    .summary('a run in one HTML file, for sharing')
    .description('Writes one self-contained page with all figures, measures and example queries of a run.')
    .argument('<run>', "the run's folder")
    .option('--out <file>', 'the page (default: RUN/report.html)')
    .option('--split <name>', "split to measure on (default: the recipe's)")
    .option(
      '--query <id>',
      'draw the space around this query; may be repeated (default: three of dev)',
      repeated,
    )
    .addOption(new Option('--method <name>', 'how to draw it').choices(PROJECTIONS).default('tsne'))
    .option('--queries <n>', 'training queries to sample for the analysis', wholeNumber(1), 200)
    .option('--svg', 'each figure as an SVG file, too, in a folder beside the page')
    .option('--data <dir>', 'its collection, where that is not where the run says')
    .option('--png', 'and as PNG, drawn by a Chromium')
    .option('--threads <n>', 'threads to compute with (default: all cores)', wholeNumber(1))
    .option('--json', 'print the numbers as JSON')
    .option('--quiet', 'no progress')
    .addHelpText('after', EXAMPLES)
    .action(reportCommand);
};

async function reportCommand(run: string, flags: ReportFlags): Promise<void> {
  const bars = flags.quiet ? undefined : new StudyBars();
  // Loading and reading alone take seconds.
  bars?.begin('read the run');
  const { out, figures, report } = await makeReport(run, flags, bars).finally(() => bars?.clear());
  const { analysis, quality, space } = report;
  if (flags.json) printJson({ out, quality, space, analysis });
  else print(`${out}\n`);
  if (!flags.quiet && figures !== undefined) tell(`figures: ${figures}\n`);
}

interface WrittenReport {
  out: string;
  /** The folder of its figures, where they were asked for. */
  figures?: string;
  report: SharedReport;
}

async function makeReport(run: string, flags: ReportFlags, bars?: StudyBars): Promise<WrittenReport> {
  const { out = join(run, 'report.html'), split, query: queries, method, queries: sample } = flags;
  const { data, threads, quiet } = flags;
  const { rasterize, requireChromium } = await import('../rasterize.js');
  const { FIGURES_FOLDER, figuresFolder, makeSharedReport, writeFigures } = await import(
    '../../analyze/index.js'
  );
  // Before minutes are spent.
  const browser = flags.png ? await requireChromium() : undefined;
  const figures = flags.svg || browser ? figuresFolder(out) : undefined;
  await requireWritable(dirname(out), 'choose a place you may write to with --out');
  if (figures !== undefined) await checkContents(figures, FIGURES_FOLDER);

  const onProgress = bars && ((progress: StudyProgress) => bars.show(progress));
  const report = await makeSharedReport({
    run,
    data,
    split,
    queries,
    method,
    sample,
    threads,
    quiet,
    onProgress,
  });
  await writeFileAtomic(out, report.html);
  if (figures !== undefined) {
    await writeFigures(figures, report.figures, browser ? (path) => rasterize(browser, path) : undefined);
  }
  return { out, figures, report };
}
