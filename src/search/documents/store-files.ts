import { join } from 'node:path';
import { z } from 'zod';
import { AtomicFile, writeDirectoryAtomic } from '../../base/files.js';
import { writeJsonFile } from '../../base/json-file.js';
import { ContentHash } from '../../data/content-hash.js';
import type { Document } from '../../data/index.js';

/** The files of a document store; line i of each belongs to document i. */
export const STORE_FILES = {
  meta: 'meta.json',
  /** Every document as a line of JSON. */
  documents: 'documents.jsonl',
  /** Where each line starts and the last one ends: doubles, which hold any file's size. */
  offsets: 'offsets.bin',
  /** Ids as JSON strings, to be found without reading texts. */
  ids: 'ids.jsonl',
  /** Metadata as JSON or an empty line, to be filtered without reading texts. */
  metadata: 'metadata.jsonl',
} as const;

export const storeMetaSchema = z.object({
  format: z.literal('nearmiss-documents'),
  version: z.literal(1),
  count: z.int().min(0),
  /** The collection's files when they were read. */
  source: z.string(),
  /** SHA-256 of all documents. */
  content: z.string(),
  /** Bytes of documents.jsonl. */
  bytes: z.int().min(0),
});

export type StoreMeta = z.infer<typeof storeMetaSchema>;

export interface WriteStoreOptions {
  documents: AsyncIterable<Document>;
  source: string;
  onDocument?: () => void;
}

/** Characters gathered before they are written. */
const WRITE_CHARACTERS = 1 << 20;

/** Writes a document store, which appears when it is complete. */
export async function writeStore(folder: string, options: WriteStoreOptions): Promise<void> {
  await writeDirectoryAtomic(folder, (partial) => fillStore(partial, options), { replaces: 'anything' });
}

async function fillStore(
  folder: string,
  { documents, source, onDocument }: WriteStoreOptions,
): Promise<void> {
  const writers = await Promise.all(
    [STORE_FILES.documents, STORE_FILES.ids, STORE_FILES.metadata].map((name) =>
      LineWriter.create(join(folder, name)),
    ),
  );
  const [lines, ids, metadata] = writers;
  const offsets = new OffsetList();
  const content = new ContentHash();
  try {
    for await (const document of documents) {
      offsets.push(lines.bytes);
      await lines.write(content.add(document));
      await ids.write(JSON.stringify(document.id));
      await metadata.write(document.metadata === undefined ? '' : JSON.stringify(document.metadata));
      onDocument?.();
    }
    offsets.push(lines.bytes);
    await Promise.all(writers.map((writer) => writer.commit()));
  } catch (error) {
    await Promise.all(writers.map((writer) => writer.abort()));
    throw error;
  }
  const file = await AtomicFile.create(join(folder, STORE_FILES.offsets));
  await file.write(offsets.toBytes());
  await file.commit();
  const meta: StoreMeta = {
    format: 'nearmiss-documents',
    version: 1,
    count: offsets.length - 1,
    source,
    content: content.digest(),
    bytes: lines.bytes,
  };
  await writeJsonFile(join(folder, STORE_FILES.meta), meta);
}

/** Writes lines through a buffer. */
class LineWriter {
  /** Bytes of all lines so far, written or not. */
  bytes = 0;
  readonly #file: AtomicFile;
  #waiting = '';

  private constructor(file: AtomicFile) {
    this.#file = file;
  }

  static async create(path: string): Promise<LineWriter> {
    return new LineWriter(await AtomicFile.create(path));
  }

  async write(line: string): Promise<void> {
    this.#waiting += `${line}\n`;
    this.bytes += Buffer.byteLength(line) + 1;
    if (this.#waiting.length >= WRITE_CHARACTERS) await this.#flush();
  }

  async commit(): Promise<void> {
    await this.#flush();
    await this.#file.commit();
  }

  async abort(): Promise<void> {
    await this.#file.abort();
  }

  async #flush(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    await this.#file.write(text);
  }
}

class OffsetList {
  length = 0;
  #values = new Float64Array(1 << 10);

  push(value: number): void {
    if (this.length === this.#values.length) {
      const longer = new Float64Array(2 * this.length);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.length++] = value;
  }

  toBytes(): Uint8Array {
    return new Uint8Array(this.#values.buffer, 0, 8 * this.length);
  }
}
