import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../base/errors.js';
import { writeFileAtomic } from '../base/files.js';
import { cacheFolder } from '../base/folders/cache-folder.js';
import { makeDirectory } from '../base/folders/make-directory.js';

const KEY_BYTES = 16;
const RECORD_BYTES = KEY_BYTES + Float32Array.BYTES_PER_ELEMENT;
const SUFFIX = '.scores';
/** More files than these become one when they are opened. */
const MOST_FILES = 64;

/**
 * Scores of a model that were computed once, by the texts of query and document: for every recipe, collection and run that
 * asks the same model again. Each flush is a file of its own whose name is the checksum of its content, so that processes
 * may add at the same time, and a kill loses what was not flushed and nothing else.
 */
export class ScoreCache {
  readonly #folder: string;
  readonly #scores = new Map<string, number>();
  #added: Buffer[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * @param fingerprint stands for the model
   * @param parent default: `scores` in the user's cache
   */
  static async open(fingerprint: string, parent = join(cacheFolder(), 'scores')): Promise<ScoreCache> {
    const cache = new ScoreCache(join(parent, fingerprint.slice(0, 32)));
    await makeDirectory(cache.#folder);
    const names = (await readdir(cache.#folder)).filter((name) => name.endsWith(SUFFIX));
    for (const name of names) await cache.#read(name);
    if (names.length > MOST_FILES) await cache.#unite(names);
    return cache;
  }

  get size(): number {
    return this.#scores.size;
  }

  get(query: string, document: string): number | undefined {
    return this.#scores.get(keyOf(query, document));
  }

  set(query: string, document: string, score: number): void {
    const key = keyOf(query, document);
    this.#added.push(recordOf(key, score));
    this.#scores.set(key, Math.fround(score));
  }

  /** Makes what was added permanent. */
  async flush(): Promise<void> {
    if (this.#added.length === 0) return;
    const content = Buffer.concat(this.#added);
    this.#added = [];
    await this.#write(content);
  }

  async #write(content: Buffer): Promise<string> {
    const name = `${checksum(content)}${SUFFIX}`;
    await writeFileAtomic(join(this.#folder, name), content);
    return name;
  }

  /** What files hold in one; they go when it is there. */
  async #unite(names: readonly string[]): Promise<void> {
    const united = await this.#write(
      Buffer.concat([...this.#scores].map(([key, score]) => recordOf(key, score))),
    );
    for (const name of names) if (name !== united) await rm(join(this.#folder, name), { force: true });
  }

  async #read(name: string): Promise<void> {
    const path = join(this.#folder, name);
    const content = await readFile(path).catch((error) => {
      // Another process has found it damaged and removed it.
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (!content) return;
    if (name !== `${checksum(content)}${SUFFIX}`) {
      // What is lost is computed again.
      await rm(path, { force: true });
      return;
    }
    for (let at = 0; at < content.length; at += RECORD_BYTES) {
      this.#scores.set(content.toString('latin1', at, at + KEY_BYTES), content.readFloatLE(at + KEY_BYTES));
    }
  }
}

function recordOf(key: string, score: number): Buffer {
  const record = Buffer.alloc(RECORD_BYTES);
  record.write(key, 'latin1');
  record.writeFloatLE(score, KEY_BYTES);
  return record;
}

function keyOf(query: string, document: string): string {
  // The length keeps a query's end from being taken for a document's beginning.
  const hash = createHash('sha256').update(`${query.length}:${query}`).update(document);
  return hash.digest().toString('latin1', 0, KEY_BYTES);
}

function checksum(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
