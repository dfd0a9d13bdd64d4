import { join } from 'node:path';
import { writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import type { FolderContents } from '../../base/folders/folder-contents.js';
import { writeJsonFile } from '../../base/json-file.js';
import { formatTable } from '../../base/table.js';
import type { Analysis } from '../analyze.js';
import { FIGURE_NAMES, figuresOf } from './figures.js';
import { type PageSection, reportPage } from './html.js';
import { tablesOf } from './tables.js';

const DATA_FILE = 'analysis.json';

export const REPORT_FOLDER: FolderContents = {
  what: "a run's report",
  files: new RegExp(`^(${DATA_FILE}|index\\.html|(${FIGURE_NAMES})\\.svg)$`),
};

/**
 * Writes a report's folder: `index.html`, each figure as `.svg`, and the numbers as `analysis.json`. A report that is
 * there already is replaced.
 *
 * @param options.first parts that come before those of the analysis
 */
export async function writeReport(
  folder: string,
  analysis: Analysis,
  options: { first?: readonly PageSection[] } = {},
): Promise<void> {
  const figures = figuresOf(analysis);
  const tables = tablesOf(analysis);
  await writeDirectoryAtomic(
    folder,
    async (target) => {
      await writeJsonFile(join(target, DATA_FILE), analysis);
      for (const { name, svg } of figures) await writeFileAtomic(join(target, `${name}.svg`), `${svg}\n`);
      await writeFileAtomic(
        join(target, 'index.html'),
        reportPage(analysis, { figures, tables, first: options.first }),
      );
    },
    { replaces: REPORT_FOLDER },
  );
}

/** The report's tables for a terminal. */
export function reportText(analysis: Analysis): string {
  return tablesOf(analysis)
    .map((table) => `${table.title}\n\n${formatTable(table)}`)
    .join('\n');
}
