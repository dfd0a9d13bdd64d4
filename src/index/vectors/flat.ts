import { NearmissError } from '../../base/errors.js';
import { bytesOf } from '../../base/numbers/bytes-of.js';
import { CREATED_BY } from '../../base/version.js';
import type { SessionOptions } from '../../engine/index.js';
import { BlockScorer } from './block-scorer.js';
import { checkSearch, emptyResult, oneRowEachQuery } from './check-vectors.js';
import { type IndexFolder, writeIndexFolder } from './index-folder.js';
import { RankingMerger } from './merge-ranking.js';
import { allocateRows, decodeRows, encodeRows, type RowStorage } from './row-codec.js';
import {
  blocksInOrder,
  bytesPerBlock,
  FileBlocks,
  MemoryBlocks,
  type RowFormat,
  rowsPerBlock,
  type VectorBlock,
  type VectorBlocks,
} from './vector-blocks.js';
import { VectorCut } from './vector-cut.js';
import type {
  SaveOptions,
  SearchOptions,
  SearchResult,
  VectorIndex,
  VectorIndexBuilder,
  VectorIndexMetadata,
} from './vector-index.js';
import { VectorIntake } from './vector-intake.js';

/** Rows one after another, as they are in memory. */
export const VECTORS_FILE = 'vectors.bin';

export interface FlatOptions {
  dimension: number;
  /** `f16` takes half the memory and disk; scores then differ in the fourth digit. Default `f32`. */
  storage?: RowStorage;
  /** Keeps only so many first numbers of each vector (Matryoshka). Default: all. */
  dimensions?: number;
  /** Of vectors that come as an index has cut them before: what it says of them as they were. */
  cutBefore?: Pick<VectorIndexMetadata, 'dimension' | 'parameters'>;
  model?: string;
  /** The scorer that compares rows with them, where it is not the best inner product. */
  scorer?: string;
  /** Where the vectors are from, for error messages. Default `vectors`. */
  source?: string;
  /** Threads and execution provider of the engine. */
  session?: SessionOptions;
}

/** Exact search: the inner product of every query with every vector, block by block. */
export class FlatIndex implements VectorIndex {
  readonly metadata: VectorIndexMetadata;
  readonly #blocks: VectorBlocks;
  readonly #scorer: BlockScorer;
  readonly #cut: VectorCut;

  private constructor(metadata: VectorIndexMetadata, blocks: VectorBlocks, scorer: BlockScorer) {
    this.metadata = metadata;
    this.#blocks = blocks;
    this.#scorer = scorer;
    this.#cut = VectorCut.of(metadata);
  }

  static async create(
    metadata: VectorIndexMetadata,
    blocks: VectorBlocks,
    session: SessionOptions = {},
  ): Promise<FlatIndex> {
    return new FlatIndex(metadata, blocks, await BlockScorer.create(formatOf(metadata), session));
  }

  /** Opens a folder; with `access: 'disk'` vectors stay there and every search reads them once. */
  static async open(
    folder: IndexFolder,
    options: { access: 'memory' | 'disk'; session?: SessionOptions },
  ): Promise<FlatIndex> {
    const format = formatOf(folder.metadata);
    const blocks =
      options.access === 'disk'
        ? await FileBlocks.open(folder, VECTORS_FILE, format)
        : await MemoryBlocks.load(folder, VECTORS_FILE, format);
    return FlatIndex.create(folder.metadata, blocks, options.session);
  }

  /** One pass over the vectors; the next block is read from disk while this one is ranked. */
  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    oneRowEachQuery(options);
    const total = checkSearch(queries, options, this.metadata);
    const { kept } = this.#cut;
    const kepts = this.#cut.apply(queries);
    const result = emptyResult(total, options.k);
    const merger = new RankingMerger(result);
    const atOnce = BlockScorer.queriesAtOnce(this.#rowsPerBlock());
    for await (const block of this.blocks()) {
      for (let first = 0; first < total; first += atOnce) {
        const end = Math.min(total, first + atOnce);
        const part = kepts.subarray(first * kept, end * kept);
        const ranking = await this.#scorer.rank(part, block, options.k);
        for (let query = first; query < end; query++) merger.merge(query, query - first, ranking);
      }
    }
    return result;
  }

  /** What is stored of the vectors with these ids, one after another. Costs one pass over the vectors, however few are wanted. */
  async vectors(ids: ArrayLike<number>): Promise<Float32Array> {
    const { dimension } = formatOf(this.metadata);
    const wanted = new Float32Array(ids.length * dimension);
    const places = Uint32Array.from(ids, (_, place) => place).sort((a, b) => ids[a] - ids[b]);
    let next = 0;
    for await (const { data, rows, firstId } of this.blocks()) {
      for (; next < places.length && ids[places[next]] < firstId + rows; next++) {
        const start = (ids[places[next]] - firstId) * dimension;
        const target = wanted.subarray(places[next] * dimension, (places[next] + 1) * dimension);
        decodeRows(data.subarray(start, start + dimension), target);
      }
      if (next === places.length) break;
    }
    return wanted;
  }

  async save(folder: string, options: SaveOptions = {}): Promise<void> {
    await writeIndexFolder(folder, options, async (writer) => {
      const blockBytes = bytesPerBlock(formatOf(this.metadata));
      await writer.write(VECTORS_FILE, this.#storedBytes(), { blockBytes });
      return this.metadata;
    });
  }

  async close(): Promise<void> {
    await this.#scorer.release();
    await this.#blocks.close();
  }

  /** All vectors as they are stored, block by block; a block is valid until the one after next. */
  blocks(): AsyncGenerator<VectorBlock> {
    return blocksInOrder(this.#blocks, formatOf(this.metadata));
  }

  #rowsPerBlock(): number {
    return Math.min(rowsPerBlock(formatOf(this.metadata)), this.metadata.count);
  }

  async *#storedBytes(): AsyncGenerator<Uint8Array> {
    for await (const { data } of this.blocks()) yield bytesOf(data);
  }
}

/** Collects vectors in memory. */
export class FlatBuilder implements VectorIndexBuilder {
  readonly #options: FlatOptions;
  readonly #intake: VectorIntake;
  readonly #cut: VectorCut;
  readonly #blocks: MemoryBlocks;

  constructor(options: FlatOptions) {
    this.#options = options;
    this.#intake = new VectorIntake(options);
    this.#cut = new VectorCut(options.dimension, options.dimensions);
    this.#blocks = new MemoryBlocks({ dimension: this.#cut.kept, storage: options.storage ?? 'f32' });
  }

  get count(): number {
    return this.#intake.count;
  }

  async add(block: Float32Array): Promise<void> {
    this.#intake.accept(block);
    this.#blocks.add(this.#cut.apply(block), this.#intake.source);
  }

  async finish(): Promise<FlatIndex> {
    const metadata = describe(this.#intake, this.#cut, this.#options);
    return FlatIndex.create(metadata, this.#blocks, this.#options.session);
  }
}

/** Writes vectors straight to an index folder; only one block is in memory at a time. */
export async function writeFlatIndex(
  folder: string,
  vectors: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  options: FlatOptions & SaveOptions,
): Promise<VectorIndexMetadata> {
  const { storage = 'f32' } = options;
  const cut = new VectorCut(options.dimension, options.dimensions);
  const dimension = cut.kept;
  const intake = new VectorIntake(options);
  async function* stored(): AsyncGenerator<Uint8Array> {
    for await (const block of vectors) {
      const firstRow = intake.count;
      intake.accept(block);
      const kept = cut.apply(block);
      const rows = allocateRows(storage, kept.length);
      encodeRows(kept, rows, { dimension, firstRow, source: intake.source });
      yield bytesOf(rows);
    }
  }
  return writeIndexFolder(folder, options, async (writer) => {
    await writer.write(VECTORS_FILE, stored(), { blockBytes: bytesPerBlock({ dimension, storage }) });
    return describe(intake, cut, options);
  });
}

function describe(
  intake: VectorIntake,
  cut: VectorCut,
  { model, scorer, storage = 'f32', cutBefore }: FlatOptions,
): VectorIndexMetadata {
  return {
    type: 'flat',
    ...intake.finish(),
    storage,
    ...(model === undefined ? {} : { model }),
    ...(scorer === undefined ? {} : { scorer }),
    createdBy: CREATED_BY,
    parameters: cut.parameters,
    ...cutBefore,
  };
}

function formatOf(metadata: VectorIndexMetadata): RowFormat {
  const { storage } = metadata;
  if (storage === 'i8') throw flatInt8();
  return { dimension: VectorCut.of(metadata).kept, storage };
}

/** The error for an exact index of 8-bit vectors, which would not be exact. */
export function flatInt8(): NearmissError {
  return new NearmissError('a flat index stores f32 or f16, got i8', { hint: 'use f16, or the type int8' });
}
