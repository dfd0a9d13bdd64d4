import { extname } from 'node:path';
import { NearmissError, UsageError } from '../../base/errors.js';
import { AtomicFile } from '../../base/files.js';
import { detach, readLines } from '../../base/lines.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { checkOffsets, type EncodedTexts, isOneRowEach } from '../encoder/encoded-texts.js';
import { FLOAT_BYTES, readFloats, type StorageType, storedBytes } from './float-storage.js';
import { encodeNpyHeader, type NpyHeader, readNpyHeader } from './npy.js';

/** Matrices of vectors on disk: NumPy's `.npy`, or bare rows as `.f32` or `.f16`; ids in a text file beside. */
const RAW_TYPES = new Map<string, StorageType>([
  ['.f32', 'f32'],
  ['.f16', 'f16'],
]);

/** Where the ids of a vector file's rows are, one a line: `vectors.npy` → `vectors.ids.txt`. */
export function idsPath(path: string): string {
  return `${path.slice(0, path.length - extname(path).length)}.ids.txt`;
}

export interface VectorFileOptions {
  /** Numbers in a row. */
  dimension: number;
  /** How to store them in `.npy`: `f32` unless told. `.f32` and `.f16` say it by their name. */
  dtype?: StorageType;
  /** Whether texts have ids. */
  ids?: boolean;
}

/**
 * Writes vectors as they come, however many. Files appear complete at {@link VectorFileWriter.commit}, the ids
 * before the vectors, so that whoever sees vectors finds their ids.
 *
 * @example
 * const writer = await VectorFileWriter.create('corpus.npy', { dimension: 384, dtype: 'f16', ids: true });
 * try {
 *   for await (const { vectors, ids } of batches) {
 *     await writer.write({ vectors, offsets: oneRowEach(ids.length) }, ids);
 *   }
 *   await writer.commit();
 * } catch (error) {
 *   await writer.abort();
 *   throw error;
 * }
 */
export class VectorFileWriter {
  readonly path: string;
  readonly dimension: number;
  /** How numbers are stored. */
  readonly dtype: StorageType;
  readonly #isNpy: boolean;
  readonly #file: AtomicFile;
  readonly #ids: AtomicFile | undefined;
  #rows = 0;

  private constructor(
    options: VectorFileOptions,
    type: StorageType,
    files: { vectors: AtomicFile; ids?: AtomicFile },
  ) {
    this.path = files.vectors.path;
    this.dimension = options.dimension;
    this.dtype = type;
    this.#isNpy = !RAW_TYPES.has(extname(this.path));
    this.#file = files.vectors;
    this.#ids = files.ids;
  }

  static async create(path: string, options: VectorFileOptions): Promise<VectorFileWriter> {
    const type = storageType(path, options.dtype);
    const vectors = await AtomicFile.create(path);
    try {
      const ids = options.ids ? await AtomicFile.create(idsPath(path)) : undefined;
      const writer = new VectorFileWriter(options, type, { vectors, ids });
      if (writer.#isNpy) await vectors.write(writer.#header());
      return writer;
    } catch (error) {
      await vectors.abort();
      throw error;
    }
  }

  /** Rows written so far. */
  get rows(): number {
    return this.#rows;
  }

  /** Appends the rows of texts, with an id for each text where the file has ids: all rows of a text get its id. */
  async write({ vectors, offsets }: EncodedTexts, ids: readonly string[] = []): Promise<void> {
    const rows = vectors.length / this.dimension;
    if (!Number.isInteger(rows)) {
      throw new NearmissError(
        `${this.path}: expected rows of ${this.dimension} numbers, got ${vectors.length} numbers`,
      );
    }
    checkOffsets(offsets, { rows });
    if (this.#ids) await this.#ids.write(this.#idLines(ids, offsets));
    else if (!isOneRowEach(offsets)) {
      throw new NearmissError(`${this.path}: expected one row for each text, got ${rows} rows`, {
        hint: 'write ids, too: rows with the same id are one text',
      });
    }
    for (const bytes of storedBytes(vectors, this.dtype, this.path)) await this.#file.write(bytes);
    this.#rows += rows;
  }

  async commit(): Promise<void> {
    if (this.#isNpy) await this.#file.writeAt(0, this.#header());
    await this.#ids?.commit();
    await this.#file.commit();
  }

  async abort(): Promise<void> {
    await this.#ids?.abort();
    await this.#file.abort();
  }

  #header(): Buffer {
    return encodeNpyHeader({ rows: this.#rows, dimension: this.dimension, type: this.dtype });
  }

  #idLines(ids: readonly string[], offsets: Uint32Array): string {
    const texts = offsets.length - 1;
    if (ids.length !== texts) {
      throw new NearmissError(`${idsPath(this.path)}: expected ${texts} ids, got ${ids.length}`);
    }
    const broken = ids.find((id) => /[\r\n]/.test(id));
    if (broken !== undefined) {
      throw new NearmissError(`${idsPath(this.path)}: the id ${JSON.stringify(broken)} has a line break`, {
        hint: 'use ids without line breaks',
      });
    }
    return ids.map((id, text) => `${id}\n`.repeat(offsets[text + 1] - offsets[text])).join('');
  }
}

/** How a file of this name stores its numbers; fails where the name does not say, or says something else than asked. */
export function storageType(path: string, asked: StorageType | undefined): StorageType {
  const raw = RAW_TYPES.get(extname(path));
  if (raw === undefined && extname(path) !== '.npy') {
    throw new UsageError(`${path}: expected a name ending in .npy, .f32 or .f16`, {
      hint: 'the ending says the format: NumPy, or bare rows of floats',
    });
  }
  if (raw !== undefined && asked !== undefined && raw !== asked) {
    throw new UsageError(`${path}: the name says ${raw}, but ${asked} was asked for`, {
      hint: `name the file .${asked} or .npy`,
    });
  }
  return raw ?? asked ?? 'f32';
}

/**
 * Vectors on disk, read a block of rows at a time.
 *
 * @example
 * const file = await VectorFile.open('corpus.npy');
 * for await (const block of file.blocks(4096)) await builder.add(block);
 * await file.close();
 */
export class VectorFile {
  readonly path: string;
  readonly rows: number;
  readonly dimension: number;
  readonly #header: NpyHeader;
  readonly #file: RandomAccessFile;

  private constructor(file: RandomAccessFile, header: NpyHeader) {
    this.path = file.path;
    this.rows = header.rows;
    this.dimension = header.dimension;
    this.#header = header;
    this.#file = file;
  }

  /** Opens a vector file; bare rows (`.f32`, `.f16`) do not say how long they are, so `dimension` must. */
  static async open(path: string, options: { dimension?: number } = {}): Promise<VectorFile> {
    const file = await RandomAccessFile.open(path);
    try {
      const header = RAW_TYPES.has(extname(path)) ? rawHeader(file, options) : await readNpyHeader(file);
      checkSize(file, header, options);
      return new VectorFile(file, header);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads `count` rows from row `first` on. */
  async read(first: number, count: number): Promise<Float32Array> {
    if (first < 0 || count < 0 || first + count > this.rows) {
      throw new RangeError(`${this.path}: rows ${first} to ${first + count} of ${this.rows}`);
    }
    const { start, type } = this.#header;
    const values = new Float32Array(count * this.dimension);
    const offset = first * this.dimension * FLOAT_BYTES[type];
    await readFloats({ file: this.#file, start: start + offset, type }, values);
    return values;
  }

  /** All rows in order, `rowsPerBlock` at a time (the last block may have fewer). */
  async *blocks(rowsPerBlock: number): AsyncGenerator<Float32Array> {
    for (let first = 0; first < this.rows; first += rowsPerBlock) {
      yield await this.read(first, Math.min(rowsPerBlock, this.rows - first));
    }
  }

  /** The ids of the rows, from the text file beside. */
  async ids(): Promise<string[]> {
    const ids: string[] = [];
    const path = idsPath(this.path);
    for await (const { text } of readLines(path)) ids.push(detach(text));
    if (ids.length === this.rows) return ids;
    throw new NearmissError(`${path}: expected ${this.rows} ids, one for each row, got ${ids.length}`, {
      hint: 'the vectors and the ids are not of the same run: write both again',
    });
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

function rawHeader(file: RandomAccessFile, { dimension }: { dimension?: number }): NpyHeader {
  if (dimension === undefined) {
    throw new UsageError(`${file.path}: the dimension of bare rows is not known`, {
      hint: 'say the dimension (--dimension), or use a .npy file, which holds it',
    });
  }
  const type = RAW_TYPES.get(extname(file.path))!;
  return { rows: Math.floor(file.size / (dimension * FLOAT_BYTES[type])), dimension, type, start: 0 };
}

function checkSize(file: RandomAccessFile, header: NpyHeader, asked: { dimension?: number }): void {
  const { rows, dimension, type, start } = header;
  if (asked.dimension !== undefined && asked.dimension !== dimension) {
    throw new NearmissError(`${file.path}: expected rows of ${asked.dimension} numbers, got ${dimension}`, {
      hint: 'the vectors are of another model',
    });
  }
  const expected = start + rows * dimension * FLOAT_BYTES[type];
  if (file.size !== expected) {
    throw new NearmissError(
      `${file.path}: expected ${expected} bytes (${rows} rows of ${dimension} ${type} numbers), got ${file.size}`,
      { hint: 'the file is damaged, or of another dimension or type' },
    );
  }
}
