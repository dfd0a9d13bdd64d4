import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';
import { exists, writeDirectoryAtomic } from '../base/files.js';
import { parseJson } from '../base/json-file.js';
import { type FleetJob, shardId } from './fleet-job.js';
import type { BlobStore } from './store/blob-store.js';
import { openBlobStore } from './store/open-blob-store.js';

/** The files of a model with their SHA-256; it is put last, so a model that has one is whole. */
const manifestSchema = z.record(z.string(), z.string());

type Manifest = z.infer<typeof manifestSchema>;

const MANIFEST = 'files.json';

/**
 * What whoever asks and all workers share: models, inputs of shards and what they became. Everything is named by its content, so that
 * it does not matter who wrote it, nor how often.
 */
export class FleetStore {
  readonly #blobs: BlobStore;

  private constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  static async open(address: string): Promise<FleetStore> {
    return new FleetStore(await openBlobStore(address));
  }

  get address(): string {
    return this.#blobs.address;
  }

  hasModel(name: string): Promise<boolean> {
    return this.#blobs.has(modelFile(name, MANIFEST));
  }

  /** Puts a model's folder there. */
  async addModel(name: string, folder: string): Promise<void> {
    const manifest: Manifest = {};
    for (const file of await filesOf(folder)) {
      const content = await readFile(join(folder, file));
      manifest[file] = sha256(content);
      await this.#blobs.put(modelFile(name, file), content);
    }
    await this.#blobs.put(modelFile(name, MANIFEST), Buffer.from(JSON.stringify(manifest)));
  }

  /** Copies a model to a folder of this machine, unless it is there; every file must be what was put. */
  async fetchModel(name: string, folder: string): Promise<void> {
    if (await exists(folder)) return;
    const manifest = await this.#blobs.get(modelFile(name, MANIFEST));
    if (!manifest) {
      throw new NearmissError(`${this.address}/models/${name}: the model of a shard is not there`, {
        hint: 'the worker and whoever asks it must name the same --store',
      });
    }
    const where = `${this.address}/${modelFile(name, MANIFEST)}`;
    const hint = 'remove that model from the store and ask again';
    const files = parseJson(Buffer.from(manifest).toString(), { where, schema: manifestSchema, hint });
    // Whoever can write to the store must not thereby write elsewhere on the machines of workers.
    const outside = Object.keys(files).find((file) => !isWithin(file));
    if (outside !== undefined) {
      throw new NearmissError(`${where}: field "${outside}": expected the path of a file within the model`, {
        hint,
      });
    }
    await writeDirectoryAtomic(folder, async (partial) => {
      for (const [file, hash] of Object.entries(files)) {
        const content = await this.#blobs.get(modelFile(name, file));
        if (!content || sha256(content) !== hash) {
          throw new NearmissError(`${this.address}/models/${name}/${file}: damaged: its checksum is wrong`, {
            hint: 'remove that model from the store and ask again',
          });
        }
        await mkdir(dirname(join(partial, file)), { recursive: true });
        await writeFile(join(partial, file), content);
      }
    });
  }

  async addInput({ id }: FleetJob, input: Uint8Array): Promise<void> {
    await this.#blobs.put(`inputs/${id}`, input);
  }

  async input(job: FleetJob): Promise<Uint8Array> {
    const where = `${this.address}/inputs/${job.id}`;
    const input = await this.#blobs.get(`inputs/${job.id}`);
    // A result of another input under this name would be taken for that of this one for ever.
    if (input && shardId(job, job.items, input) === job.id) return input;
    if (!input) {
      throw new NearmissError(`${where}: the input of a shard is not there`, {
        hint: 'the worker and whoever asks it must name the same --store',
      });
    }
    throw new NearmissError(`${where}: damaged: not the input that was written`, {
      hint: 'remove the file and give the command again: whoever asks writes it anew',
    });
  }

  /** Undefined where nobody has done the shard; of a damaged one, too. */
  async result({ id }: FleetJob): Promise<Uint8Array | undefined> {
    const content = await this.#blobs.get(`results/${id}`);
    if (!content || content.length < HASH_BYTES) return undefined;
    const result = content.subarray(HASH_BYTES);
    const isWhole = Buffer.from(content.subarray(0, HASH_BYTES)).toString('hex') === sha256(result);
    return isWhole ? result : undefined;
  }

  async addResult({ id }: FleetJob, result: Uint8Array): Promise<void> {
    const hash = createHash('sha256').update(result).digest();
    await this.#blobs.put(`results/${id}`, Buffer.concat([hash, result]));
  }

  /** Removes the input and the result of a shard that nobody needs any more. */
  async remove({ id }: FleetJob): Promise<void> {
    await this.#blobs.remove(`inputs/${id}`);
    await this.#blobs.remove(`results/${id}`);
  }
}

/** The hash of a folder's files, which stands for a model that is given as one. */
export async function folderHash(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesOf(folder))
    hash.update(`${file}\n${sha256(await readFile(join(folder, file)))}\n`);
  return hash.digest('hex');
}

const HASH_BYTES = 32;

function isWithin(file: string): boolean {
  return !isAbsolute(file) && normalize(file) === file && !file.startsWith('..');
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length).replace(/^\/+/, ''))
    .sort();
}

function modelFile(name: string, file: string): string {
  return `models/${name}/${file}`;
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
