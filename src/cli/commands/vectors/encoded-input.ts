import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../../../base/errors.js';
import { removeDirectory } from '../../../base/files.js';
import { makeDirectory } from '../../../base/folders/make-directory.js';
import { partialPath } from '../../../base/partial-path.js';
import { type FleetFlags, fleetOf } from '../../fleet/fleet-options.js';
import { tell } from '../../output.js';

export interface EncodedInputOptions extends FleetFlags {
  model?: string;
  threads?: number;
  shardSize?: number;
  quiet?: boolean;
}

/**
 * Gives work the file of vectors that it needs: the one that was named, or that of a collection, which is encoded first, here or by the
 * workers of a queue. Vectors of a collection lie beside `out` until the work is done.
 */
export async function withVectorFile<T>(
  input: string,
  out: string,
  { model, quiet, ...options }: EncodedInputOptions,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const fleet = fleetOf(options);
  const isCollection = await stat(input).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isCollection) {
    if (fleet === undefined) return work(input);
    throw new UsageError(`--queue: workers encode: expected the folder of a collection, got ${input}`, {
      hint: 'leave out --queue: an index of vectors is built here',
    });
  }
  if (model === undefined) {
    throw new UsageError(`${input} is a collection: expected --model, which encodes it`, {
      hint: 'for example --model minilm; or name a file of vectors: nearmiss encode …',
    });
  }
  const { encodeFile } = await import('../../encode-file.js');
  const folder = partialPath(out);
  await makeDirectory(folder);
  try {
    const output = join(folder, 'vectors.npy');
    const log = quiet ? undefined : (line: string) => tell(`${line}\n`);
    await encodeFile(input, {
      ...options,
      model,
      output,
      use: 'document',
      format: 'auto',
      fields: {},
      quiet,
      log,
    });
    return await work(output);
  } finally {
    await removeDirectory(folder);
  }
}
