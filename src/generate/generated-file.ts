import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';
import { exists, unwritable, writeFileAtomic } from '../base/files.js';
import { makeDirectory } from '../base/folders/make-directory.js';
import { parseJson, readJsonFile, writeSealedJsonFile } from '../base/json-file.js';
import { readLines } from '../base/lines.js';
import { type HeldLock, holdFileLock } from '../base/lock/file-lock.js';
import { adviceOn, describeHolder } from '../base/lock/lock-holder.js';

/** What such a file is called in a folder that a stage makes. */
export const GENERATED_FILE = 'queries.jsonl';

/** A file of generated queries by its path, or by that of the folder that a stage made. */
export async function generatedFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? join(path, GENERATED_FILE) : path;
}

/** The queries that were written for a passage of a document. */
export interface GeneratedQueries {
  /** Of the document. */
  id: string;
  /** Which of its passages. */
  passage: number;
  queries: string[];
}

const recordSchema = z.object({
  id: z.string(),
  passage: z.int().min(0).default(0),
  queries: z.array(z.string()),
});

const HINT = 'expected a file that `nearmiss generate` wrote: {"id": …, "queries": […]} a line';

/** Reads what `nearmiss generate` wrote, a passage at a time and in its order. */
export async function* readGenerated(path: string): AsyncGenerator<GeneratedQueries> {
  for await (const { text, number } of readLines(path)) {
    if (text.trim() === '') continue;
    yield parseJson(text, { where: `${path}:${number}`, schema: recordSchema, hint: HINT });
  }
}

/** Writes queries that are all there as such a file. */
export async function writeGenerated(path: string, records: readonly GeneratedQueries[]): Promise<void> {
  await writeFileAtomic(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}

/** What a file of generated queries depends on: who wrote them, and a fingerprint of everything else, too. */
export interface GeneratedSettings {
  generator: string;
  fingerprint: string;
}

const count = z.int().min(0);

/** How far a file has certainly come: so many passages in so many bytes, and their CRC-32. */
const progressSchema = z.object({ passages: count, bytes: count, crc32: count });
type Progress = z.infer<typeof progressSchema>;

const NOTHING: Progress = { passages: 0, bytes: 0, crc32: 0 };

const begunSchema = z.object({
  generator: z.string(),
  fingerprint: z.string(),
  progress: progressSchema,
});

/**
 * Writes generated queries so that nothing is lost and nothing done twice: until it is complete the file is called
 * `PATH.unfinished`, and whoever begins again with the same settings goes on behind the last passages that were noted in
 * `PATH.unfinished.json`, once they are seen to be what was written. One process writes it at a time.
 */
export class GeneratedFile {
  /** Passages that were there already. */
  readonly known: number;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #lock: HeldLock;
  readonly #settings: GeneratedSettings;
  #progress: Progress;

  private constructor(
    path: string,
    { file, lock }: { file: FileHandle; lock: HeldLock },
    settings: GeneratedSettings,
    progress: Progress,
  ) {
    this.#path = path;
    this.#file = file;
    this.#lock = lock;
    this.#settings = settings;
    this.#progress = progress;
    this.known = progress.passages;
  }

  static async open(path: string, settings: GeneratedSettings): Promise<GeneratedFile> {
    const unfinished = `${path}.unfinished`;
    await makeDirectory(dirname(path));
    const lock = await lockFor(unfinished);
    try {
      if (await exists(path)) {
        throw new NearmissError(`${path}: is there already`, { hint: 'remove it, or choose another name' });
      }
      const progress = await goOn(unfinished, settings);
      const file = await open(unfinished, 'a').catch((error) => {
        throw unwritable(unfinished, error);
      });
      return new GeneratedFile(path, { file, lock }, settings, progress);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Adds passages; they are on the disk when it returns. */
  async add(records: readonly GeneratedQueries[]): Promise<void> {
    this.#lock.lost.throwIfAborted();
    const unfinished = `${this.#path}.unfinished`;
    const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    try {
      await this.#file.appendFile(lines);
      await this.#file.datasync();
    } catch (error) {
      throw unwritable(unfinished, error);
    }
    const { passages, bytes, crc32: checksum } = this.#progress;
    this.#progress = {
      passages: passages + records.length,
      bytes: bytes + lines.length,
      crc32: crc32(lines, checksum),
    };
    await note(unfinished, this.#settings, this.#progress);
  }

  /** Gives the file its name. */
  async finish(): Promise<void> {
    try {
      this.#lock.lost.throwIfAborted();
      await this.#file.sync();
      await this.#file.close();
      await rename(`${this.#path}.unfinished`, this.#path);
      await rm(settingsPath(`${this.#path}.unfinished`), { force: true });
    } finally {
      await this.#lock.release();
    }
  }

  /** Leaves it to be gone on with. */
  async stop(): Promise<void> {
    await this.#file.close();
    await this.#lock.release();
  }
}

async function lockFor(unfinished: string): Promise<HeldLock> {
  const path = `${unfinished}.lock`;
  const lock = await holdFileLock(path, { onWait: (message) => process.emitWarning(message) }).catch(
    (error) => {
      throw unwritable(unfinished, error);
    },
  );
  if (!('heldBy' in lock)) return lock;
  throw new NearmissError(`${unfinished}: ${describeHolder(lock.heldBy)} writes it already`, {
    hint: `wait for it, or stop that process first${adviceOn(lock.heldBy, path)}`,
  });
}

function settingsPath(unfinished: string): string {
  return `${unfinished}.json`;
}

function note(unfinished: string, settings: GeneratedSettings, progress: Progress): Promise<void> {
  return writeSealedJsonFile(settingsPath(unfinished), { ...settings, progress });
}

/**
 * Cuts a file behind what was noted last and says how much that is; one of other settings or a damaged one is refused. One
 * in which there is nothing yet is begun anew, so that whoever mistyped a setting has nothing to remove.
 */
async function goOn(unfinished: string, settings: GeneratedSettings): Promise<Progress> {
  if (!(await exists(unfinished))) return begin(unfinished, settings);
  const hint = `remove ${unfinished} to begin anew`;
  const { progress, ...before } = await readJsonFile(settingsPath(unfinished), begunSchema, { hint });
  if (before.fingerprint !== settings.fingerprint) {
    if (progress.passages === 0) return begin(unfinished, settings);
    const { generator } = settings;
    const who = before.generator === generator ? '' : ` (by ${before.generator}, now ${generator})`;
    throw new NearmissError(`${unfinished}: was begun with other settings or other documents${who}`, {
      hint: 'begin again with the same command, or remove it to begin anew',
    });
  }
  if ((await checksumOf(unfinished, progress.bytes)) !== progress.crc32) {
    throw new NearmissError(
      `${unfinished}: damaged: its first ${progress.bytes} bytes are not what was written`,
      { hint },
    );
  }
  await truncate(unfinished, progress.bytes);
  return progress;
}

async function begin(unfinished: string, settings: GeneratedSettings): Promise<Progress> {
  await note(unfinished, settings, NOTHING);
  await rm(unfinished, { force: true });
  return NOTHING;
}

/** Of a file's first bytes; none where it has fewer. */
async function checksumOf(path: string, bytes: number): Promise<number | undefined> {
  if ((await stat(path)).size < bytes) return undefined;
  let checksum = 0;
  if (bytes === 0) return checksum;
  for await (const chunk of createReadStream(path, { end: bytes - 1, highWaterMark: 1 << 20 })) {
    checksum = crc32(chunk as Buffer, checksum);
  }
  return checksum;
}
