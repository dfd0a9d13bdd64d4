import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { CheckedFile, type FileCheck, fileCheckSchema } from '../../base/checked-file.js';
import { writeDirectoryAtomic } from '../../base/files.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
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
  /** The CRC-32 of each document's line (uint32): one is read without the others. */
  checks: 'checks.bin',
} as const;

const { meta: _meta, ...CHECKED } = STORE_FILES;

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
  /** Sizes and checksums of the other files; older stores do not have them. */
  files: z.record(z.enum(CHECKED), fileCheckSchema).optional(),
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
  const offsets = new NumberList(Float64Array);
  const checks = new NumberList(Uint32Array);
  const content = new ContentHash();
  try {
    for await (const document of documents) {
      const line = content.add(document);
      offsets.push(lines.bytes);
      checks.push(crc32(`${line}\n`));
      await lines.write(line);
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
  const meta: StoreMeta = {
    format: 'nearmiss-documents',
    version: 1,
    count: offsets.length - 1,
    source,
    content: content.digest(),
    bytes: lines.bytes,
    files: {
      [STORE_FILES.documents]: lines.check,
      [STORE_FILES.ids]: ids.check,
      [STORE_FILES.metadata]: metadata.check,
      [STORE_FILES.offsets]: await writeNumbers(join(folder, STORE_FILES.offsets), offsets),
      [STORE_FILES.checks]: await writeNumbers(join(folder, STORE_FILES.checks), checks),
    },
  };
  await writeSealedJsonFile(join(folder, STORE_FILES.meta), meta);
}

/** Writes lines through a buffer. */
class LineWriter {
  /** Bytes of all lines so far, written or not. */
  bytes = 0;
  readonly #file: CheckedFile;
  #waiting = '';

  private constructor(file: CheckedFile) {
    this.#file = file;
  }

  static async create(path: string): Promise<LineWriter> {
    return new LineWriter(await CheckedFile.create(path));
  }

  get check(): FileCheck {
    return this.#file.check;
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

async function writeNumbers(path: string, numbers: NumberList): Promise<FileCheck> {
  const file = await CheckedFile.create(path);
  try {
    await file.write(numbers.values);
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
  return file.check;
}

class NumberList {
  length = 0;
  readonly #make: typeof Float64Array | typeof Uint32Array;
  #values: Float64Array | Uint32Array;

  constructor(make: typeof Float64Array | typeof Uint32Array) {
    this.#make = make;
    this.#values = new make(1 << 10);
  }

  get values(): Float64Array | Uint32Array {
    return this.#values.subarray(0, this.length);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const longer = new this.#make(2 * this.length);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.length++] = value;
  }
}
