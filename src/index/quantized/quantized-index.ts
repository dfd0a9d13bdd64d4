import { crc32 } from 'node:zlib';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { innerProduct } from '../../base/numbers/inner-product.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import type { SessionOptions } from '../../engine/index.js';
import { checkSearch, emptyResult, oneRowEachQuery } from '../vectors/check-vectors.js';
import { FlatIndex } from '../vectors/flat.js';
import { type IndexFolder, type IndexFolderWriter, writeIndexFolder } from '../vectors/index-folder.js';
import { blocksInOrder, type RowFormat, type VectorBlock } from '../vectors/vector-blocks.js';
import { VectorCut } from '../vectors/vector-cut.js';
import type {
  SaveOptions,
  SearchOptions,
  SearchResult,
  VectorIndex,
  VectorIndexMetadata,
} from '../vectors/vector-index.js';
import { Candidates } from './candidates.js';
import { CODES_FILE, type CodeStore, checkedBytes, codesOnDisk, MemoryCodes } from './code-store.js';
import { prepareQuery } from './codes.js';
import { ListTable, type Probe } from './list-table.js';
import { packRecords, ROWS_FILE, RowFile, type WholeRows } from './row-file.js';
import { type CodeKind, recordBytes, ScanKernel } from './scan-kernel.js';
import { defaultRescore } from './search-effort.js';

const LISTS_FILE = 'lists.bin';
const ORDER_FILE = 'order.bin';
/** Queries compared with the codes of a block before the next block is loaded. */
const QUERIES_AT_ONCE = 64;

export interface QuantizedParts {
  table: ListTable;
  /** The id of each record; undefined where they are in the order of ids. */
  order?: Int32Array;
  codes: CodeStore;
  rows: WholeRows;
}

/**
 * Approximate search by short codes of the vectors, 1 or 8 bits a number: the best by their codes are compared again as
 * whole vectors, which stay on disk. With lists, only those near the query are looked into.
 */
export class QuantizedIndex implements VectorIndex {
  readonly metadata: VectorIndexMetadata;
  readonly #parts: QuantizedParts;
  readonly #cut: VectorCut;
  readonly #kernel: ScanKernel;
  readonly #session: SessionOptions | undefined;

  constructor(metadata: VectorIndexMetadata, parts: QuantizedParts, session?: SessionOptions) {
    this.metadata = metadata;
    this.#parts = parts;
    this.#session = session;
    this.#cut = VectorCut.of(metadata);
    this.#kernel = new ScanKernel(kindOf(metadata), this.#cut.kept);
  }

  /** Opens a folder: codes are read into memory or left on disk, whole vectors stay there in any case. */
  static async open(
    folder: IndexFolder,
    { access, session }: { access: 'memory' | 'disk'; session?: SessionOptions },
  ): Promise<QuantizedIndex> {
    const { metadata } = folder;
    const { kept } = VectorCut.of(metadata);
    const stride = recordBytes(kindOf(metadata), kept);
    const lists = metadata.parameters.lists ?? 1;
    const table = await readNumbers(folder, LISTS_FILE);
    const centres = new Float32Array(table, 0, lists * kept);
    const starts = new Uint32Array(table, centres.byteLength, lists + 1);
    const order = lists > 1 ? new Int32Array(await readNumbers(folder, ORDER_FILE)) : undefined;
    const rows = new RowFile(folder.file(ROWS_FILE), metadata.count, formatOf(metadata), folder.remedy);
    const codes =
      access === 'disk' ? await codesOnDisk(folder, stride) : await MemoryCodes.open(folder, stride);
    return new QuantizedIndex(
      metadata,
      { table: new ListTable(centres, starts, kept), order, codes, rows },
      session,
    );
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    oneRowEachQuery(options);
    const total = checkSearch(queries, options, this.metadata);
    if (options.exhaustive) return this.#searchWhole(queries, options);
    const { dimension, count } = this.metadata;
    const result = emptyResult(total, options.k);
    if (count === 0) return result;
    for (let first = 0; first < total; first += QUERIES_AT_ONCE) {
      const end = Math.min(total, first + QUERIES_AT_ONCE);
      const part = Array.from({ length: end - first }, (_, i) =>
        queries.subarray((first + i) * dimension, (first + i + 1) * dimension),
      );
      this.#candidates(part, options).forEach((candidates, i) => {
        this.#rescore(part[i], candidates, result, first + i);
      });
    }
    return result;
  }

  /** All whole vectors, block by block; a block is valid until the one after next. */
  blocks(): AsyncGenerator<VectorBlock> {
    return blocksInOrder(this.#parts.rows, formatOf(this.metadata));
  }

  async save(folder: string, options: SaveOptions = {}): Promise<void> {
    await writeIndexFolder(folder, options, async (writer) => {
      const format = formatOf(this.metadata);
      const { rows, ...parts } = this.#parts;
      await writer.write(ROWS_FILE, recordsOf(rows, format));
      await writeParts(writer, this.metadata, { ...parts, pieces: () => parts.codes.pieces() });
      return this.metadata;
    });
  }

  async close(): Promise<void> {
    await this.#parts.codes.close();
    await this.#parts.rows.close();
  }

  /** Each query's best by their codes, as ids. */
  #candidates(queries: readonly Float32Array[], { k, probes, rescore }: SearchOptions): Int32Array[] {
    const { table, codes, order } = this.#parts;
    const { parameters, count } = this.metadata;
    const kind = kindOf(this.metadata);
    const wanted = Math.min(
      count,
      Math.max(k, rescore ?? parameters.rescore ?? defaultRescore(kind, k, this.#cut.kept)),
    );
    const prepared = queries.map((query) => {
      const cut = this.#cut.apply(query);
      return {
        query: prepareQuery(kind, cut),
        candidates: new Candidates(wanted),
        probes: table.nearest(cut, {
          lists: probes ?? parameters.probes ?? table.lists,
          records: wanted,
        }),
      };
    });
    const work = prepared.flatMap((query) => query.probes.map((probe) => ({ ...query, probe })));
    // Several queries that look into the same list do so one after the other, while its codes are at hand.
    if (queries.length > 1) work.sort((a, b) => a.probe.list - b.probe.list);
    for (let start = 0; start < work.length; ) {
      let end = start + 1;
      while (end < work.length && work[end].probe.list === work[start].probe.list) end++;
      this.#scanList(work.slice(start, end), codes);
      start = end;
    }
    return prepared.map(({ candidates }) => {
      const places = Int32Array.from(candidates.best());
      return order ? places.map((place) => order[place]) : places;
    });
  }

  /** Compares some queries with the codes of one list. */
  #scanList(
    work: readonly { query: ReturnType<typeof prepareQuery>; candidates: Candidates; probe: Probe }[],
    codes: CodeStore,
  ): void {
    const { starts } = this.#parts.table;
    const { list } = work[0].probe;
    const kernel = this.#kernel;
    const { places, scores } = kernel;
    for (let first = starts[list]; first < starts[list + 1]; first += kernel.capacity) {
      const records = Math.min(kernel.capacity, starts[list + 1] - first);
      codes.load(first, records, kernel.codes);
      for (const { query, candidates, probe } of work) {
        kernel.prepare(query);
        const { threshold } = candidates;
        const matches = kernel.scan({ records, first, base: probe.base, threshold });
        for (let i = 0; i < matches; i++) candidates.push(places[2 * i], scores[2 * i + 1]);
      }
    }
  }

  /** Compares candidates as whole vectors and keeps the best. */
  #rescore(query: Float32Array, ids: Int32Array, result: SearchResult, row: number): void {
    ids.sort();
    const vector = new Float32Array(query.length);
    const scores = Float32Array.from(ids, (id) => {
      this.#parts.rows.read(id, vector);
      return innerProduct(query, vector);
    });
    const ranked = Array.from(ids.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
    ranked.slice(0, result.k).forEach((place, rank) => {
      result.ids[row * result.k + rank] = ids[place];
      result.scores[row * result.k + rank] = scores[place];
    });
  }

  /** Exact: every query with every whole vector. */
  async #searchWhole(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const { rows } = this.#parts;
    // The rows are this index's to close.
    const blocks = { count: rows.count, reader: () => rows.reader(), close: async () => {} };
    const flat = await FlatIndex.create({ ...this.metadata, parameters: {} }, blocks, this.#session);
    try {
      return await flat.search(queries, options);
    } finally {
      await flat.close();
    }
  }
}

/** Adds lists, order and codes to a folder that is being written. */
export async function writeParts(
  writer: IndexFolderWriter,
  metadata: VectorIndexMetadata,
  { table, order, pieces }: { table: ListTable; order?: Int32Array; pieces(): AsyncIterable<Uint8Array> },
): Promise<void> {
  await writer.write(LISTS_FILE, [bytesOf(table.centres), bytesOf(table.starts)]);
  if (order) await writer.write(ORDER_FILE, [bytesOf(order)]);
  const stride = recordBytes(kindOf(metadata), VectorCut.of(metadata).kept);
  await writer.write(CODES_FILE, pieces(), { blockBytes: checkedBytes(stride) });
}

export function kindOf({ type }: Pick<VectorIndexMetadata, 'type'>): CodeKind {
  return type === 'binary' ? 'binary' : 'int8';
}

export function formatOf({ dimension, storage }: VectorIndexMetadata): RowFormat {
  return { dimension, storage: storage === 'f16' ? 'f16' : 'f32' };
}

async function* recordsOf(rows: WholeRows, format: RowFormat): AsyncGenerator<Uint8Array> {
  for await (const { data } of blocksInOrder(rows, format)) yield packRecords(data, format);
}

/** Reads a whole file, comparing its checksum. */
async function readNumbers(folder: IndexFolder, name: string): Promise<ArrayBuffer> {
  const file = await RandomAccessFile.open(folder.file(name));
  try {
    const target = new Uint8Array(file.size);
    await file.readInto(target, 0);
    folder.expectChecksum(name, crc32(target));
    return target.buffer;
  } finally {
    await file.close();
  }
}
