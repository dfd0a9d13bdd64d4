import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { writeFileAtomic } from '../../base/files.js';
import { readJsonFile, writeSealedJsonFile } from '../../base/json-file.js';

const CLUSTERS_FILE = 'clusters.json';
const PLACES_FILE = 'clusters.bin';
const HINT = 'remove this folder, and give the same command again';

const clustersSchema = z.object({
  format: z.literal('nearmiss-clusters'),
  version: z.literal(1),
  /** Examples in each cluster. */
  sizes: z.array(z.int().min(1)),
  sha256: z.string(),
});

/** Writes each example's cluster into a folder that the caller makes appear. */
export async function fillClusterFolder(folder: string, places: Int32Array): Promise<void> {
  const sizes: number[] = [];
  for (const cluster of places) sizes[cluster] = (sizes[cluster] ?? 0) + 1;
  const content = Buffer.from(places.buffer, places.byteOffset, places.byteLength);
  await writeFileAtomic(join(folder, PLACES_FILE), content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  await writeSealedJsonFile(join(folder, CLUSTERS_FILE), {
    format: 'nearmiss-clusters',
    version: 1,
    sizes,
    sha256,
  });
}

/** The examples of each cluster. */
export async function readClusterFolder(folder: string, count: number): Promise<Int32Array[]> {
  const { sizes, sha256 } = await readJsonFile(join(folder, CLUSTERS_FILE), clustersSchema, { hint: HINT });
  const path = join(folder, PLACES_FILE);
  const content = await readFile(path).catch((error: Error) => {
    throw new NearmissError(`${path}: cannot be read: ${error.message}`, { hint: HINT, cause: error });
  });
  if (createHash('sha256').update(content).digest('hex') !== sha256) {
    throw new NearmissError(`${path}: its content is not what was written`, { hint: HINT });
  }
  const places = new Int32Array(new Uint8Array(content).buffer);
  if (places.length !== count) {
    throw new NearmissError(`${folder}: expected clusters of ${count} examples, got ${places.length}`, {
      hint: 'topics are those of the training queries: take examples: labelled in that stage',
    });
  }
  const members = sizes.map((size) => new Int32Array(size));
  const filled = new Int32Array(sizes.length);
  places.forEach((cluster, example) => {
    members[cluster][filled[cluster]++] = example;
  });
  return members;
}
