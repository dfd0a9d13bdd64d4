import { join } from 'node:path';
import { READ_ONLY_CACHE } from '../../base/cache-folder.js';
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
 * Documents in a file, found through tables of typed arrays: about 20 bytes a document and its id in memory, whatever the length
 * of the texts.
 */
export class StoredDocuments implements DocumentStore, FilterableDocuments {
  /** SHA-256 of all documents. */
  readonly content: string;
  /** Every id, in the collection's order. */
  readonly idTable: IdTable;
  readonly #offsets: Float64Array;
  readonly #file: RandomAccessFile;
  readonly #folder: string;

  private constructor(
    folder: string,
    parts: { meta: StoreMeta; ids: IdTable; offsets: Float64Array; file: RandomAccessFile },
  ) {
    this.#folder = folder;
    this.content = parts.meta.content;
    this.idTable = parts.ids;
    this.#offsets = parts.offsets;
    this.#file = parts.file;
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
    const known = await StoredDocuments.#openCurrent(folder, source);
    if (known) return known;
    return withWriteLock(`${folder}.lock`, READ_ONLY_CACHE, async () => {
      const built = await StoredDocuments.#openCurrent(folder, source);
      if (built) return built;
      const progress = options.onBuild?.();
      await writeStore(folder, {
        documents: dataset.documents(),
        source,
        onDocument: () => progress?.advance(1),
      });
      progress?.finish();
      return StoredDocuments.#openParts(folder, await readMeta(folder));
    });
  }

  static async #openCurrent(folder: string, source: string): Promise<StoredDocuments | undefined> {
    const meta = await readMeta(folder).catch(() => undefined);
    if (meta?.source !== source) return undefined;
    // What was damaged is built again rather than reported.
    return StoredDocuments.#openParts(folder, meta).catch(() => undefined);
  }

  static async #openParts(folder: string, meta: StoreMeta): Promise<StoredDocuments> {
    const offsets = await readOffsets(folder, meta);
    const ids = await readIds(folder);
    const file = await RandomAccessFile.open(join(folder, STORE_FILES.documents));
    if (file.size !== meta.bytes || ids.size !== meta.count) {
      await file.close();
      throw file.truncated(meta.bytes);
    }
    return new StoredDocuments(folder, { meta, ids, offsets, file });
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
    const start = this.#offsets[index];
    const line = Buffer.alloc(this.#offsets[index + 1] - start);
    await this.#file.readInto(line, start);
    return JSON.parse(line.toString()) as Document;
  }

  getAll(ids: readonly string[]): Promise<(Document | undefined)[]> {
    return Promise.all(ids.map((id) => this.get(id)));
  }

  *ids(): Generator<string> {
    for (let index = 0; index < this.idTable.size; index++) yield this.idTable.idAt(index);
  }

  async *metadata(): AsyncGenerator<Record<string, unknown> | undefined> {
    for await (const { lines } of readLineBatches(join(this.#folder, STORE_FILES.metadata))) {
      for (const line of lines) yield line === '' ? undefined : JSON.parse(line);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function readMeta(folder: string): Promise<StoreMeta> {
  return readJsonFile(join(folder, STORE_FILES.meta), storeMetaSchema);
}

async function readOffsets(folder: string, { count }: StoreMeta): Promise<Float64Array> {
  const file = await RandomAccessFile.open(join(folder, STORE_FILES.offsets));
  try {
    const offsets = new Float64Array(count + 1);
    await file.readInto(new Uint8Array(offsets.buffer), 0);
    return offsets;
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
