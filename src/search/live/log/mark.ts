import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { hasCode } from '../../../base/errors.js';
import { writeFileAtomic } from '../../../base/files.js';

export const MARK_FILE = 'mark.json';

const count = z.int().min(0);
const markSchema = z.object({ log: count, bytes: count, chain: count, check: count });

/**
 * How far a log was certainly written: a file of its own, because a log that was cut between two frames does not show
 * it. It may lag behind, and a log without one is read as it is.
 */
export type Mark = Omit<z.infer<typeof markSchema>, 'check'>;

export async function writeMark(folder: string, { log, bytes, chain }: Mark): Promise<void> {
  const mark = { log, bytes, chain, check: checksum({ log, bytes, chain }) };
  await writeFileAtomic(join(folder, MARK_FILE), `${JSON.stringify(mark)}\n`);
}

/** @param onDamage told where there is one that cannot be used: nothing is lost with it */
export async function readMark(
  folder: string,
  onDamage: (message: string) => void,
): Promise<Mark | undefined> {
  const path = join(folder, MARK_FILE);
  try {
    const mark = markSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    if (mark.check === checksum(mark)) return mark;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
  }
  onDamage(`${path}: damaged; it is written anew, and the log is taken as it is`);
  return undefined;
}

function checksum({ log, bytes, chain }: Mark): number {
  return crc32(JSON.stringify([log, bytes, chain]));
}
