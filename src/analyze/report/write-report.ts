import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import { writeJsonFile } from '../../base/json-file.js';
import { formatTable } from '../../base/table.js';
import type { Analysis } from '../analyze.js';
import { figuresOf } from './figures.js';
import { reportPage } from './html.js';
import { tablesOf } from './tables.js';

const DATA_FILE = 'analysis.json';

/**
 * Writes a report's folder: `index.html`, each figure as `.svg`, and the numbers as `analysis.json`. A report that is
 * there already is replaced.
 */
export async function writeReport(folder: string, analysis: Analysis): Promise<void> {
  await checkReportFolder(folder);
  const figures = figuresOf(analysis);
  const tables = tablesOf(analysis);
  await writeDirectoryAtomic(
    folder,
    async (target) => {
      await writeJsonFile(join(target, DATA_FILE), analysis);
      for (const { name, svg } of figures) await writeFileAtomic(join(target, `${name}.svg`), `${svg}\n`);
      await writeFileAtomic(join(target, 'index.html'), reportPage(analysis, { figures, tables }));
    },
    { overwrite: true },
  );
}

/** Refuses a folder that holds anything but a report, since writing one replaces the folder. */
export async function checkReportFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  if (names.length === 0 || names.includes(DATA_FILE)) return;
  throw new NearmissError(`${folder}: expected a new folder or an earlier report, got other files`, {
    hint: 'a report replaces its folder: choose another with --out',
  });
}

/** The report's tables for a terminal. */
export function reportText(analysis: Analysis): string {
  return tablesOf(analysis)
    .map((table) => `${table.title}\n\n${formatTable(table)}`)
    .join('\n');
}
