import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { SourcesDataset } from '../../data/sources-dataset.js';

/** Raised when the same files of a folder give other passages than they did: what was stored is made anew. */
const FOLDER_READING = 2;

/**
 * Stands for the state of a collection's files: names, sizes and times. Reading them all instead would cost as much
 * as what the fingerprint is to save.
 */
export async function fingerprintFiles({ sources }: SourcesDataset): Promise<string> {
  const files = [...sources.documents, ...sources.examples.values()].map(({ file }) => file);
  const hash = createHash('sha256').update(sources.format);
  if (sources.format === 'folder') hash.update(`${FOLDER_READING}`);
  for (const file of [...new Set(files)].sort()) {
    for (const path of await filesUnder(file)) {
      // What cannot be looked at (a link that leads nowhere) still has a name; the reader tells of what it misses.
      const info = await stat(path).catch(() => undefined);
      hash.update(JSON.stringify([relative(file, path), info?.size, info?.mtimeMs]));
    }
  }
  return hash.digest('hex');
}

/** The file itself, or what a folder holds without what is hidden, in a fixed order. */
async function filesUnder(path: string): Promise<string[]> {
  const info = await stat(path).catch(() => undefined);
  if (!info?.isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  const visible = entries.filter(({ name }) => !name.startsWith('.'));
  const below = await Promise.all(
    visible.map((entry) => {
      const inside = join(path, entry.name);
      return entry.isDirectory() ? filesUnder(inside) : [inside];
    }),
  );
  return below.flat().sort();
}
