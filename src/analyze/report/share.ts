import { basename, dirname, join } from 'node:path';
import { writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import type { FolderContents } from '../../base/folders/folder-contents.js';
import { largestDifferences } from '../../evaluate/index.js';
import { makesRows } from '../../model/kinds.js';
import { readRunDescription } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { type Analysis, analyzeRuns, asksWithSeveralRows, sectionsOf } from '../analyze.js';
import { measureQuality } from '../quality/measure.js';
import type { Quality, QualityCase } from '../quality/quality.js';
import { readQualityCase } from '../quality/quality-files.js';
import { drawSpace } from '../space/space.js';
import type { Projection, SpacePicture } from '../space/space-picture.js';
import type { StudyProgress } from '../study-progress.js';
import { FIGURE_NAMES, type Figure, figuresOf } from './figures.js';
import { reportPage } from './html.js';
import { qualitySection } from './quality-section.js';
import { spaceSection } from './space-section.js';
import { tablesOf } from './tables.js';

export interface ShareOptions {
  /** The run's folder. */
  run: string;
  /** Its collection, where that is not where the run says. */
  data?: string;
  /** Split for the quality. Default: the one that the recipe measures on. */
  split?: string;
  /** Queries whose space is drawn. Default: three of the dev split. */
  queries?: readonly string[];
  /** Default `tsne`. */
  method?: Projection;
  /** Training queries that the analysis samples. */
  sample?: number;
  /** Default: all cores. */
  threads?: number;
  quiet?: boolean;
  onProgress?: (progress: StudyProgress) => void;
}

/** Everything there is to tell about a run. */
export interface SharedReport {
  analysis: Analysis;
  /** Not of a reranker, which finds nothing by itself. */
  quality?: Quality;
  space: SpacePicture[];
  figures: Figure[];
  /** One page that loads nothing. */
  html: string;
}

export const FIGURES_FOLDER: FolderContents = {
  what: "a report's figures",
  files: new RegExp(`^(${FIGURE_NAMES})\\.(svg|png)$`),
};

const PICTURES = 3;
/** Of the cases won, and of those lost. */
const CASES = 8;

/**
 * Makes a run's report: its analysis, its quality beside BM25 with the cases that differ most, and the space around some
 * queries, before and after training.
 *
 * @example
 * const report = await makeSharedReport({ run: 'runs/medquad' });
 * await writeFile('medquad.html', report.html);
 */
export async function makeSharedReport(options: ShareOptions): Promise<SharedReport> {
  const { run, data, split, queries, method, sample, threads, quiet, onProgress } = options;
  const { recipe } = await readRunDescription(new RunDirectory(run));
  const isReranker = !makesRows(recipe.model.kind);
  const quality = isReranker ? undefined : await measureQuality({ run, data, split, threads, onProgress });
  // A query of several rows is no point in a space.
  const isPoint = !isReranker && !asksWithSeveralRows(recipe.model);
  const space = !isPoint
    ? []
    : await drawSpace({ run, data, queries, count: PICTURES, method, threads, onProgress });
  const sections = sectionsOf(recipe).filter((section) => section !== 'compare');
  const analysis = await analyzeRuns({ runs: [run], data, sections, queries: sample, threads, quiet });
  const first = quality
    ? [
        qualitySection(quality, await casesOf(new RunDirectory(run), quality)),
        ...(isPoint ? [spaceSection(space)] : []),
      ]
    : [];
  const own = { figures: figuresOf(analysis), tables: tablesOf(analysis) };
  return {
    analysis,
    quality,
    space,
    figures: [...first.flatMap((section) => section.figures), ...own.figures],
    html: reportPage(analysis, { ...own, first }),
  };
}

/** Where figures go beside a report: `medquad.html` has `medquad-figures/`. */
export function figuresFolder(path: string): string {
  return join(dirname(path), `${basename(path).replace(/\.html?$/, '')}-figures`);
}

/** Writes each figure as a file of its own; `also` may add others from the SVG. */
export async function writeFigures(
  folder: string,
  figures: readonly Figure[],
  also: (svgPath: string) => Promise<void> = async () => undefined,
): Promise<void> {
  await writeDirectoryAtomic(
    folder,
    async (target) => {
      for (const { name, svg } of figures) {
        const path = join(target, `${name}.svg`);
        await writeFileAtomic(path, `${svg}\n`);
        await also(path);
      }
    },
    { replaces: FIGURES_FOLDER },
  );
}

async function casesOf(
  run: RunDirectory,
  quality: Quality,
): Promise<{ gains: QualityCase[]; losses: QualityCase[] }> {
  const values = (system: 'bm25' | 'model'): Float64Array =>
    Float64Array.from(quality.queries, (query) => query.values['nDCG@10'][system]);
  const ids = quality.queries.map(({ id }) => id);
  const { gains, losses } = largestDifferences(values('model'), values('bm25'), ids, CASES);
  const read = async (list: typeof gains): Promise<QualityCase[]> => {
    const found = await Promise.all(list.map(({ query }) => readQualityCase(run, { ...quality, query })));
    return found.filter((one) => one !== undefined);
  };
  return { gains: await read(gains), losses: await read(losses) };
}
