import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { hasCode, NearmissError } from './errors.js';

export const describedFilesSchema = z.record(
  z.string(),
  z.object({ bytes: z.int().min(0), sha256: z.string() }),
);

/** Files as they were when they were written, by their names from their folder on. */
export type DescribedFiles = z.infer<typeof describedFilesSchema>;

/** How to speak of files that are not what they were. */
export interface VerifyOptions {
  /** What the files make up, e.g. `the checkpoint of step 300`. */
  what: string;
  /** What to do about it: the error's hint. */
  remedy: string;
}

/** A file that is missing, cut off or altered since it was written. */
export class DamagedFileError extends NearmissError {
  readonly path: string;

  constructor(path: string, reason: string, { what, remedy }: VerifyOptions) {
    super(`${path}: ${what} is damaged: ${reason}`, { hint: remedy });
    this.path = path;
  }
}

/**
 * Sizes and SHA-256 of some of a folder's files, to be kept beside them (in a manifest that is written last).
 *
 * @example
 * const files = await describeFiles('runs/mine/start', ['config.json', 'model.safetensors']);
 * await writeJsonFile('runs/mine/start.json', { files });
 */
export async function describeFiles(folder: string, names: readonly string[]): Promise<DescribedFiles> {
  const described = names.map(async (name) => {
    const path = join(folder, name);
    const [{ size }, sha256] = [await stat(path), await sha256Of(path)];
    return [name, { bytes: size, sha256 }] as const;
  });
  return Object.fromEntries(await Promise.all(described));
}

/**
 * Reads files through to see that they are what was written; the first that is not is named in a
 * {@link DamagedFileError}.
 *
 * @example
 * const files = await describeFiles('runs/mine/start', ['model.safetensors']);
 * await verifyFiles('runs/mine/start', files, { what: 'the start', remedy: 'restore it from a copy' });
 */
export async function verifyFiles(
  folder: string,
  described: DescribedFiles,
  options: VerifyOptions,
): Promise<void> {
  // Sizes first: what is missing or cut off is told without reading the rest.
  await verifySizes(folder, described, options);
  for (const [name, { sha256 }] of Object.entries(described)) {
    const path = join(folder, name);
    if ((await sha256Of(path)) !== sha256)
      throw new DamagedFileError(path, 'its content is not what was written', options);
  }
}

/** Compares sizes only, which costs nothing whatever the files' length. */
export async function verifySizes(
  folder: string,
  described: Record<string, { bytes: number }>,
  options: VerifyOptions,
): Promise<void> {
  for (const [name, { bytes }] of Object.entries(described)) {
    const path = join(folder, name);
    const size = await stat(path).then(
      (info) => info.size,
      (error) => {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw error;
      },
    );
    if (size === undefined) throw new DamagedFileError(path, 'no such file', options);
    if (size !== bytes) throw new DamagedFileError(path, `expected ${bytes} bytes, got ${size}`, options);
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest('hex');
}
