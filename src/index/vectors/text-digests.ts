import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { IdTable } from '../../data/id-table.js';
import { readRowDocuments } from './document-files.js';
import { VECTORS_FILE } from './flat.js';
import type { IndexFolder } from './index-folder.js';

/** Of the text that each document's rows were made of, in the order of the documents. */
export const DIGESTS_FILE = 'digests.bin';

/** Of a SHA-256: two texts that share so much of it will not be met. */
const DIGEST_BYTES = 16;

/** The digests of texts, one after another. */
export function textDigests(texts: readonly string[]): Buffer {
  return Buffer.concat(texts.map((text) => digestOf(text)));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES);
}

/** The rows of an index by the texts they were made of. They stay on disk: in memory are about 40 bytes a document. */
export class RowsByText {
  readonly #file: RandomAccessFile;
  readonly #dimension: number;
  readonly #digests: IdTable;
  /** The document of each digest: several may have the same text. */
  readonly #documents: Uint32Array;
  /** Left out where every document has one row. */
  readonly #offsets: Uint32Array | undefined;

  private constructor(
    file: RandomAccessFile,
    dimension: number,
    { digests, documents }: KnownTexts,
    offsets?: Uint32Array,
  ) {
    this.#file = file;
    this.#dimension = dimension;
    this.#digests = digests;
    this.#documents = documents;
    this.#offsets = offsets;
  }

  /** Undefined where an index has not kept its rows as they were made, or not of which texts; reads it through once. */
  static async open(folder: IndexFolder): Promise<RowsByText | undefined> {
    const { type, storage, dimension, parameters } = folder.metadata;
    const isWhole = type === 'flat' && storage === 'f32' && Object.keys(parameters).length === 0;
    if (!isWhole || !folder.has(DIGESTS_FILE)) return undefined;
    await folder.verify(DIGESTS_FILE);
    await folder.verify(VECTORS_FILE);
    const known = knownTexts(await readFile(folder.file(DIGESTS_FILE)));
    const { offsets } = await readRowDocuments(folder, known.count);
    return new RowsByText(await RandomAccessFile.open(folder.file(VECTORS_FILE)), dimension, known, offsets);
  }

  has(text: string): boolean {
    return this.#digests.has(keyOf(digestOf(text)));
  }

  /** The rows that were made of a text, bit by bit. */
  async rows(text: string): Promise<Float32Array | undefined> {
    const known = this.#digests.indexOf(keyOf(digestOf(text)));
    if (known < 0) return undefined;
    const document = this.#documents[known];
    const [first, end] = this.#offsets
      ? [this.#offsets[document], this.#offsets[document + 1]]
      : [document, document + 1];
    const rows = new Float32Array((end - first) * this.#dimension);
    await this.#file.readInto(
      new Uint8Array(rows.buffer),
      first * this.#dimension * Float32Array.BYTES_PER_ELEMENT,
    );
    return rows;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

interface KnownTexts {
  digests: IdTable;
  documents: Uint32Array;
  /** Documents, whose texts may be the same. */
  count: number;
}

function knownTexts(bytes: Buffer): KnownTexts {
  const digests = new IdTable();
  const count = bytes.length / DIGEST_BYTES;
  const documents = new Uint32Array(count);
  for (let document = 0; document < count; document++) {
    const start = document * DIGEST_BYTES;
    if (digests.add(keyOf(bytes.subarray(start, start + DIGEST_BYTES)))) {
      documents[digests.size - 1] = document;
    }
  }
  return { digests, documents, count };
}

function keyOf(digest: Buffer): string {
  return digest.toString('base64url');
}
