import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { hasCode } from '../errors.js';
import { writeFileAtomic } from '../files.js';

export const MARK_FILE = 'mark.json';

/** Always as long, so that it can be written over. */
const MARK_BYTES = 128;

const count = z.int().min(0);
const markSchema = z.object({ log: count, bytes: count, chain: count, check: count });

/** How far a log was certainly written. */
export type Mark = Omit<z.infer<typeof markSchema>, 'check'>;

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

/**
 * Notes how far a log was written, in a file of its own: a log that was cut between two frames does not show it. It is
 * written after the frames it speaks of and before anybody is told of them, over itself and without an fsync, so it costs
 * next to nothing and never says too much. A power cut may make it lag behind, a kill does not; and where it cannot be
 * written, on a full disk say, the log does without.
 */
export class MarkFile {
  readonly #opening: Promise<FileHandle | undefined>;
  #newest: Mark | undefined;
  #writing: Promise<void> | undefined;

  /** @param first what is certain now: it is being written when this returns, and nobody need wait for it */
  constructor(folder: string, first: Mark) {
    this.#opening = create(join(folder, MARK_FILE), first).catch(() => undefined);
  }

  /** Resolves when it, or a newer one, is written: of several that come meanwhile only the newest is. */
  note(mark: Mark): Promise<void> {
    this.#newest = mark;
    this.#writing ??= this.#write();
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.#writing;
    const handle = await this.#opening;
    await handle?.datasync().catch(() => undefined);
    await handle?.close();
  }

  async #write(): Promise<void> {
    const handle = await this.#opening;
    while (this.#newest) {
      const bytes = encode(this.#newest);
      this.#newest = undefined;
      await handle?.write(bytes, 0, bytes.length, 0).catch(() => undefined);
    }
    // In the same breath as the look at what is newest.
    this.#writing = undefined;
  }
}

async function create(path: string, first: Mark): Promise<FileHandle> {
  await writeFileAtomic(path, encode(first));
  return open(path, 'r+');
}

function encode({ log, bytes, chain }: Mark): Buffer {
  const text = JSON.stringify({ log, bytes, chain, check: checksum({ log, bytes, chain }) });
  return Buffer.from(`${text.padEnd(MARK_BYTES - 1)}\n`);
}

function checksum({ log, bytes, chain }: Mark): number {
  return crc32(JSON.stringify([log, bytes, chain]));
}
