import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import {
  DamagedFileError,
  type DescribedFiles,
  describedFilesSchema,
  describeFiles,
  type VerifyOptions,
  verifyFiles,
} from '../base/checksums.js';
import { NearmissError } from '../base/errors.js';
import { exists } from '../base/files.js';
import { readJsonFile, writeSealedJsonFile } from '../base/json-file.js';
import { MODEL_MANIFEST } from '../model/folder/save-model.js';

/** What a checkpoint says of itself, checksums included. */
export const STATE_FILE = 'state.json';

/** Sizes and checksums of everything that a folder holds. */
export async function describeFolder(folder: string): Promise<DescribedFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
  return describeFiles(folder, names.sort());
}

/** Writes a model's checksums beside its files, once they are all there. */
export async function writeModelManifest(folder: string): Promise<void> {
  const files = await describeFolder(folder);
  await writeSealedJsonFile(join(folder, MODEL_MANIFEST), { format: 'nearmiss-model', files });
}

export interface VerifyFolderOptions extends VerifyOptions {
  /** Which of the files matter; all when left out. */
  only?: (name: string) => boolean;
}

const descriptionSchema = z.looseObject({ files: describedFilesSchema.optional() });

/**
 * Reads a checkpoint or a model of a run through to see that it is what was written; if not, a {@link DamagedFileError}
 * names the file. Folders of earlier versions have no checksums and pass.
 */
export async function verifyFolder(folder: string, options: VerifyFolderOptions): Promise<void> {
  const { only = () => true } = options;
  for (const name of [STATE_FILE, MODEL_MANIFEST]) {
    const path = join(folder, name);
    if (!(await exists(path))) continue;
    const { files = {} } = await readJsonFile(path, descriptionSchema).catch((error) => {
      throw error instanceof NearmissError ? new DamagedFileError(path, error.message, options) : error;
    });
    const wanted = Object.entries(files).filter(([file]) => only(file));
    await verifyFiles(folder, Object.fromEntries(wanted), options);
  }
}
