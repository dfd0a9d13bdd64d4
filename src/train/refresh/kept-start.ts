import { copyFile, link, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { exists, UnwritableError, writeDirectoryAtomic } from '../../base/files.js';
import { ContentHash } from '../../data/content-hash.js';
import { openDocumentIndex } from '../../index/vectors/index.js';
import { removeAndRepeat } from '../../index/vectors/index-folder.js';
import { loadSide } from '../../model/folder/tower-folders.js';
import { makesOneRow } from '../../model/representation/kinds.js';
import { documentSplit } from '../../recipe/document-split.js';
import { readRunDescription } from '../../run/run-description.js';
import { START_FOLDER } from '../../run/run-directory.js';
import { embedderFingerprint } from '../../search/embedder-fingerprint.js';
import { collectionCache } from '../../search/open/target.js';
import { vectorsFolder } from '../../search/open/vectors-folder.js';
import type { CheckpointSearchOptions } from './checkpoint-search.js';

/**
 * Where the vectors that a run's start makes of the collection are kept for all runs on it, and for searches with the
 * same model; undefined where nobody else would have the same. In lockstep a run makes its own: what a search made may
 * differ in the last bits.
 */
export async function keptStart({ run, recipe, data }: CheckpointSearchOptions): Promise<string | undefined> {
  const { model, refresh } = recipe;
  const { type, storage, dimensions } = refresh.index;
  if (model.init === 'scratch' || refresh.mode === 'lockstep' || type !== 'flat' || storage !== 'f32') return;
  if (dimensions !== undefined) return;
  if (refresh.precision !== 'fp32') return;
  const { maxPieces, pieceLength } = documentSplit(model);
  const start = run.file(START_FOLDER);
  const queries = await loadSide(start, 'queries');
  const { maxLength, spec } = queries;
  if (maxPieces > 1 || pieceLength !== maxLength || !makesOneRow(spec.head)) return;
  const content = new ContentHash();
  for await (const document of data.dataset.documents()) content.add(document);
  const fingerprint = await embedderFingerprint(start, queries);
  const cache = await collectionCache((await readRunDescription(run)).data);
  return vectorsFolder(cache, { fingerprint, maxLength, precision: 'fp32' }, content.digest()).folder;
}

/** Takes an index over that is kept elsewhere; says whether there was one to take. */
export async function takeIndex(from: string, to: string): Promise<boolean> {
  if (!(await exists(from))) return false;
  try {
    // One that is damaged is made anew instead.
    await (await openDocumentIndex(from, { access: 'disk', remedy: removeAndRepeat(from) })).close();
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    return false;
  }
  await linkFiles(from, to);
  return true;
}

/** Keeps a run's index for others; where that may not be written, it is the run's alone. */
export async function keepIndex(from: string, to: string): Promise<void> {
  await linkFiles(from, to).catch((error) => {
    if (!(error instanceof UnwritableError)) throw error;
  });
}

/** The same files under another name, which take no room; on another disk, copies. */
async function linkFiles(from: string, to: string): Promise<void> {
  await writeDirectoryAtomic(
    to,
    async (folder) => {
      for (const entry of await readdir(from, { withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const [source, target] = [join(from, entry.name), join(folder, entry.name)];
        await link(source, target).catch(() => copyFile(source, target));
      }
    },
    { replaces: 'anything' },
  );
}
