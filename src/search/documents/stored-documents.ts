import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type FileCheck, verifyCheck } from '../../base/checked-file.js';
import { DamagedFileError, type VerifyOptions, verifySizes } from '../../base/checksums.js';
import { NearmissError } from '../../base/errors.js';
import { exists, UnwritableError } from '../../base/files.js';
import { READ_ONLY_CACHE } from '../../base/folders/cache-folder.js';
import { readJsonFile } from '../../base/json-file.js';
import { readLineBatches } from '../../base/lines.js';
import { withWriteLock } from '../../base/lock/write-lock.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import type { Document } from '../../data/dataset.js';
import { IdTable } from '../../data/id-table.js';
import type { SourcesDataset } from '../../data/sources-dataset.js';
import type { DocumentStore } from '../document-store.js';
import type { FilterableDocuments } from '../filter/filtered-documents.js';
import { fingerprintFiles } from './source-fingerprint.js';
import { STORE_FILES, type StoreMeta, storeMetaSchema, writeStore } from './store-files.js';

export interface OpenStoreOptions {
  /** Called before the store is built, which reads the whole collection once; told after each document. */
  onBuild?: () => { advance(units: number): void; finish(): void };
}

/**
 * Documents in a file, found through tables of typed arrays: about 24 bytes a document and its id in memory, whatever the length
 * of the texts. What is kept in memory is compared with its checksum on opening, a document's text and the metadata when
 * they are read.
 */
export class StoredDocuments implements DocumentStore, FilterableDocuments {
  /** SHA-256 of all documents. */
  readonly content: string;
  /** Every id, in the collection's order. */
  readonly idTable: IdTable;
  readonly #folder: string;
  readonly #parts: StoreParts;
  #metadataIsWhole: Promise<void> | undefined;

  private constructor(folder: string, parts: StoreParts) {
    this.#folder = folder;
    this.content = parts.meta.content;
    this.idTable = parts.ids;
    this.#parts = parts;
  }

  /**
   * Opens the store of a collection in `folder`, and builds it before where there is none or where the collection's
   * files have changed since.
   *
   * @example
   * const store = await StoredDocuments.open('runs/mine/cache/search/documents', await openDataset('data/mine'));
   * const document = await store.get('d7');
   * await store.close();
   */
  static async open(
    folder: string,
    dataset: SourcesDataset,
    options: OpenStoreOptions = {},
  ): Promise<StoredDocuments> {
    const source = await fingerprintFiles(dataset);
    let damaged: Error | undefined;
    const openCurrent = (): Promise<StoredDocuments | undefined> =>
      // What was damaged is built again rather than reported, where that can be done.
      StoredDocuments.#openCurrent(folder, source).catch((error) => {
        damaged = error;
        return undefined;
      });
    const known = await openCurrent();
    if (known) return known;
    return withWriteLock(`${folder}.lock`, READ_ONLY_CACHE, async () => {
      const built = await openCurrent();
      if (built) return built;
      const progress = options.onBuild?.();
      await writeStore(folder, {
        documents: dataset.documents(),
        source,
        onDocument: () => progress?.advance(1),
      });
      progress?.finish();
      return StoredDocuments.#openParts(folder, await readMeta(folder));
    }).catch((error) => {
      if (!damaged || !(error instanceof UnwritableError)) throw error;
      throw new NearmissError(`${damaged.message}, and it cannot be made again: ${error.message}`, {
        hint: error.hint,
        cause: error,
      });
    });
  }

  static async #openCurrent(folder: string, source: string): Promise<StoredDocuments | undefined> {
    if (!(await exists(join(folder, STORE_FILES.meta)))) return undefined;
    const meta = await readMeta(folder);
    return meta.source === source ? StoredDocuments.#openParts(folder, meta) : undefined;
  }

  static async #openParts(folder: string, meta: StoreMeta): Promise<StoredDocuments> {
    const { documents, ids, offsets, checks } = STORE_FILES;
    if (meta.files) {
      await verifySizes(folder, meta.files, damage(folder));
      for (const name of [ids, offsets, checks]) {
        await verifyCheck(folder, name, meta.files[name], damage(folder));
      }
    }
    const parts = {
      meta,
      ids: await readIds(folder),
      offsets: await readNumbers(join(folder, offsets), new Float64Array(meta.count + 1)),
      ...(meta.files && { checks: await readNumbers(join(folder, checks), new Uint32Array(meta.count)) }),
    };
    if (parts.ids.size !== meta.count) {
      throw damagedFile(folder, ids, `expected ${meta.count} ids, got ${parts.ids.size}`);
    }
    const file = await RandomAccessFile.open(join(folder, documents));
    if (file.size === meta.bytes) return new StoredDocuments(folder, { ...parts, file });
    await file.close();
    throw file.truncated(meta.bytes);
  }

  get count(): number {
    return this.idTable.size;
  }

  has(id: string): boolean {
    return this.idTable.has(id);
  }

  indexOf(id: string): number {
    return this.idTable.indexOf(id);
  }

  /** The id of a place in the collection. */
  idAt(index: number): string {
    return this.idTable.idAt(index);
  }

  async get(id: string): Promise<Document | undefined> {
    const index = this.idTable.indexOf(id);
    if (index < 0) return undefined;
    const { file, offsets, checks } = this.#parts;
    const start = offsets[index];
    const line = Buffer.alloc(offsets[index + 1] - start);
    await file.readInto(line, start);
    const isWhole = checks === undefined || checks[index] === crc32(line);
    const document = isWhole ? parseLine<Document>(line.toString()) : undefined;
    if (document) return document;
    const what = `the document ${JSON.stringify(id)} at byte ${start} is not what was written`;
    throw damagedFile(this.#folder, STORE_FILES.documents, what);
  }

  getAll(ids: readonly string[]): Promise<(Document | undefined)[]> {
    return Promise.all(ids.map((id) => this.get(id)));
  }

  *ids(): Generator<string> {
    for (let index = 0; index < this.idTable.size; index++) yield this.idTable.idAt(index);
  }

  async *metadata(): AsyncGenerator<Record<string, unknown> | undefined> {
    const name = STORE_FILES.metadata;
    const { meta } = this.#parts;
    if (meta.files) await this.#verifyMetadata(meta.files[name]);
    let documents = 0;
    for await (const { first, lines } of readLineBatches(join(this.#folder, name))) {
      for (let i = 0; i < lines.length; i++) {
        const metadata = lines[i] === '' ? undefined : parseLine<Record<string, unknown>>(lines[i]);
        if (lines[i] !== '' && !metadata) {
          throw damagedFile(this.#folder, name, `line ${first + i} is not what was written`);
        }
        yield metadata;
      }
      documents += lines.length;
    }
    if (documents === meta.count) return;
    throw damagedFile(this.#folder, name, `expected ${meta.count} lines, got ${documents}`);
  }

  async close(): Promise<void> {
    await this.#parts.file.close();
  }

  /** Once: filters read it again and again. */
  #verifyMetadata(check: FileCheck): Promise<void> {
    this.#metadataIsWhole ??= verifyCheck(this.#folder, STORE_FILES.metadata, check, damage(this.#folder));
    return this.#metadataIsWhole;
  }
}

interface StoreParts {
  meta: StoreMeta;
  ids: IdTable;
  offsets: Float64Array;
  /** Older stores have none. */
  checks?: Uint32Array;
  file: RandomAccessFile;
}

function damage(folder: string): VerifyOptions {
  return {
    what: 'the document store',
    remedy: `remove ${folder} and run the same command again, which makes it anew from the collection`,
  };
}

function damagedFile(folder: string, name: string, reason: string): DamagedFileError {
  return new DamagedFileError(join(folder, name), reason, damage(folder));
}

/** Nothing where a line is no JSON any more. */
function parseLine<T extends object>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T;
  } catch {
    return undefined;
  }
}

function readMeta(folder: string): Promise<StoreMeta> {
  return readJsonFile(join(folder, STORE_FILES.meta), storeMetaSchema);
}

async function readNumbers<T extends Float64Array | Uint32Array>(path: string, numbers: T): Promise<T> {
  const file = await RandomAccessFile.open(path);
  try {
    await file.readInto(new Uint8Array(numbers.buffer), 0);
    return numbers;
  } finally {
    await file.close();
  }
}

async function readIds(folder: string): Promise<IdTable> {
  const ids = new IdTable();
  for await (const { lines } of readLineBatches(join(folder, STORE_FILES.ids))) {
    for (const line of lines) ids.add(JSON.parse(line));
  }
  return ids;
}
