import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { verifyCheck } from '../base/checked-file.js';
import { verifyFiles } from '../base/checksums.js';
import { NearmissError } from '../base/errors.js';
import { readJsonFile } from '../base/json-file.js';
import { readStateFolder } from '../base/log/read-folder.js';
import { PARTIAL_PREFIX } from '../base/partial-path.js';
import { TokenCache } from '../data/tokens/token-cache-reader.js';

/** A folder whose files carry checksums, and what they say. */
export interface VerifiedFolder {
  folder: string;
  /** What it holds, e.g. `nearmiss-bm25`. */
  holds: string;
  /** Damage, with the file's name; nothing where all is as it was written. */
  problem?: string;
  hint?: string;
}

const AGAIN = 'copy the folder again, or make it again with the command that made it';

/** Files that describe the others of their folder. */
const DESCRIPTIONS = ['meta.json', 'manifest.json', 'state.json'];

const descriptionSchema = z.object({
  format: z.string().optional(),
  files: z
    .record(
      z.string(),
      z.object({ bytes: z.number(), crc32: z.number().optional(), sha256: z.string().optional() }),
    )
    .optional(),
});

/** Looks for folders with checksums, in a folder and below it, and reads all their files. */
export async function* verifyFolders(folder: string): AsyncGenerator<VerifiedFolder> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
    throw new NearmissError(`${folder}: cannot be read: ${error.message}`, {
      hint: 'name a folder that exists and that you may read',
      cause: error,
    });
  });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const description = DESCRIPTIONS.find((name) => names.includes(name));
  if (names.some((name) => name.endsWith('.wal'))) {
    yield await outcome(folder, 'live documents', () => verifyState(folder));
  } else if (description !== undefined) {
    const found = await verifyDescribed(folder, description);
    if (found) yield found;
  }
  for (const entry of entries) {
    if (!entry.isDirectory() || entry.name.startsWith(PARTIAL_PREFIX)) continue;
    yield* verifyFolders(join(folder, entry.name));
  }
}

async function outcome(folder: string, holds: string, verify: () => Promise<void>): Promise<VerifiedFolder> {
  try {
    await verify();
    return { folder, holds };
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    return { folder, holds, problem: error.message, hint: error.hint };
  }
}

async function verifyDescribed(folder: string, name: string): Promise<VerifiedFolder | undefined> {
  const path = join(folder, name);
  let description: z.infer<typeof descriptionSchema>;
  try {
    description = await readJsonFile(path, descriptionSchema, { hint: AGAIN });
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    return { folder, holds: name, problem: error.message, hint: error.hint };
  }
  const { format = 'checkpoint', files } = description;
  if (format.startsWith('nearmiss-tokens')) return outcome(folder, format, () => verifyTokens(folder));
  // Somebody else's file of that name, or one of an earlier version.
  if (!files) return undefined;
  return outcome(folder, format, async () => {
    const options = { what: 'what it belongs to', remedy: AGAIN };
    for (const [file, { bytes, crc32, sha256 }] of Object.entries(files)) {
      if (crc32 !== undefined) await verifyCheck(folder, file, { bytes, crc32 }, options);
      if (sha256 !== undefined) await verifyFiles(folder, { [file]: { bytes, sha256 } }, options);
    }
  });
}

async function verifyTokens(folder: string): Promise<void> {
  const cache = await TokenCache.open(folder);
  await cache.verify().finally(() => cache.close());
}

async function verifyState(folder: string): Promise<void> {
  await readStateFolder(folder, { onRecord: () => undefined, onWarning: () => undefined });
}
