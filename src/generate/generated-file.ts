import { type FileHandle, open, readFile, rename, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';
import { exists, unwritable } from '../base/files.js';
import { makeDirectory } from '../base/folders/make-directory.js';
import { parseJson, readJsonFile, writeJsonFile } from '../base/json-file.js';
import { readLines } from '../base/lines.js';

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

const settingsSchema = z.object({ generator: z.string(), fingerprint: z.string() });

/** What a file of generated queries depends on: who wrote them, and a fingerprint of everything else, too. */
export type GeneratedSettings = z.infer<typeof settingsSchema>;

/**
 * Writes generated queries so that nothing is lost and nothing done twice: until it is complete the file is called
 * `PATH.unfinished`, and whoever begins again with the same settings goes on behind its last whole line.
 */
export class GeneratedFile {
  /** Passages that were there already. */
  readonly known: number;
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle, known: number) {
    this.#path = path;
    this.#file = file;
    this.known = known;
  }

  static async open(path: string, settings: GeneratedSettings): Promise<GeneratedFile> {
    if (await exists(path)) {
      throw new NearmissError(`${path}: is there already`, { hint: 'remove it, or choose another name' });
    }
    const unfinished = `${path}.unfinished`;
    await makeDirectory(dirname(path));
    const known = await goOn(unfinished, settings);
    try {
      return new GeneratedFile(path, await open(unfinished, 'a'), known);
    } catch (error) {
      throw unwritable(unfinished, error);
    }
  }

  /** Adds passages; they are on the disk when it returns. */
  async add(records: readonly GeneratedQueries[]): Promise<void> {
    try {
      await this.#file.appendFile(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      await this.#file.datasync();
    } catch (error) {
      throw unwritable(`${this.#path}.unfinished`, error);
    }
  }

  /** Gives the file its name. */
  async finish(): Promise<void> {
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.unfinished`, this.#path);
    await rm(settingsPath(`${this.#path}.unfinished`), { force: true });
  }

  /** Leaves it to be gone on with. */
  async stop(): Promise<void> {
    await this.#file.close();
  }
}

function settingsPath(unfinished: string): string {
  return `${unfinished}.json`;
}

/** Cuts a file behind its last whole line and counts its passages; one of other settings is refused. */
async function goOn(unfinished: string, settings: GeneratedSettings): Promise<number> {
  if (!(await exists(unfinished))) {
    await writeJsonFile(settingsPath(unfinished), settings);
    return 0;
  }
  const before = await readJsonFile(settingsPath(unfinished), settingsSchema, {
    hint: `remove ${unfinished} to begin anew`,
  });
  if (before.fingerprint !== settings.fingerprint) {
    throw new NearmissError(
      `${unfinished}: was begun with other settings or other documents (by ${before.generator}, now ${settings.generator})`,
      { hint: 'begin again with the same command, or remove it to begin anew' },
    );
  }
  const content = await readFile(unfinished);
  const end = content.lastIndexOf(0x0a) + 1;
  if (end < content.length) await truncate(unfinished, end);
  let lines = 0;
  for (let at = content.indexOf(0x0a); at >= 0; at = content.indexOf(0x0a, at + 1)) lines++;
  return lines;
}
