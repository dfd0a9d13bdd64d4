import { NearmissError } from '../../base/errors.js';
import { CREATED_BY } from '../../base/version.js';
import type { SessionOptions } from '../../engine/index.js';
import { BestScores } from './best-scores.js';
import {
  allocateScores,
  BlockScorer,
  QUERY_ROWS,
  type ScoreBuffers,
  scoreBufferSize,
} from './block-scorer.js';
import { checkSearch, emptyResult } from './check-vectors.js';
import { type IndexFolder, writeIndexFolder } from './index-folder.js';
import { allocateRows, bytesOf, encodeRows, type RowStorage } from './row-codec.js';
import { BLOCK_ROWS, FileBlocks, MemoryBlocks, type RowFormat, type VectorBlocks } from './vector-blocks.js';
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
const VECTORS_FILE = 'vectors.bin';

/** Memory for what is kept of each query during one pass over the vectors. */
const PASS_BYTES = 256 * 2 ** 20;

export interface FlatOptions {
  dimension: number;
  /** `f16` takes half the memory and disk; scores then differ in the fourth digit. Default `f32`. */
  storage?: RowStorage;
  model?: string;
  /** Threads and execution provider of the engine. */
  session?: SessionOptions;
}

/** Exact search: the inner product of every query with every vector, block by block. */
export class FlatIndex implements VectorIndex {
  readonly metadata: VectorIndexMetadata;
  readonly #blocks: VectorBlocks;
  readonly #scorer: BlockScorer;
  /** Kept between searches; taken by the search that uses it. */
  #spare: ScoreBuffers | undefined;

  private constructor(metadata: VectorIndexMetadata, blocks: VectorBlocks, scorer: BlockScorer) {
    this.metadata = metadata;
    this.#blocks = blocks;
    this.#scorer = scorer;
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

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const total = checkSearch(queries, options, this.metadata);
    const result = emptyResult(total, options.k);
    const k = Math.min(options.k, this.metadata.count);
    if (k === 0) return result;
    const buffers = this.#takeBuffers(total);
    const perPass = Math.max(QUERY_ROWS, Math.floor(PASS_BYTES / (8 * BestScores.capacity(k))));
    for (let first = 0; first < total; first += perPass) {
      const pass = this.#rows(queries, first, Math.min(total, first + perPass));
      const best = await this.#scan(pass, k, buffers);
      best.rankInto(result, first);
    }
    this.#spare = buffers;
    return result;
  }

  async save(folder: string, options: SaveOptions = {}): Promise<void> {
    await writeIndexFolder(folder, options, async (writer) => {
      await writer.write(VECTORS_FILE, this.#storedBytes());
      return this.metadata;
    });
  }

  async close(): Promise<void> {
    await this.#scorer.release();
    await this.#blocks.close();
  }

  /** One pass over the vectors; the next block is read from disk while this one is scored. */
  async #scan(queries: Float32Array, k: number, buffers: ScoreBuffers): Promise<BestScores> {
    const total = queries.length / this.metadata.dimension;
    const best = new BestScores(total, k);
    const read = this.#blocks.reader();
    const blocks = Math.ceil(this.metadata.count / BLOCK_ROWS);
    let upcoming = read(0);
    for (let b = 0; b < blocks; b++) {
      const block = await upcoming;
      if (b + 1 < blocks) {
        upcoming = read(b + 1);
        // What goes wrong is thrown where it is awaited, unless scoring fails first.
        upcoming.catch(() => undefined);
      }
      for (let first = 0; first < total; first += QUERY_ROWS) {
        const end = Math.min(total, first + QUERY_ROWS);
        const scored = await this.#scorer.score(this.#rows(queries, first, end), block, buffers);
        for (let query = first; query < end; query++) best.offer(query, query - first, scored);
      }
    }
    return best;
  }

  #rows(vectors: Float32Array, from: number, to: number): Float32Array {
    const { dimension } = this.metadata;
    return vectors.subarray(from * dimension, to * dimension);
  }

  #takeBuffers(queries: number): ScoreBuffers {
    const spare = this.#spare;
    this.#spare = undefined;
    const size = scoreBufferSize(queries, this.metadata.count);
    return spare && spare.scores.length >= size ? spare : allocateScores(size);
  }

  async *#storedBytes(): AsyncGenerator<Uint8Array> {
    const { count, dimension } = this.metadata;
    const read = this.#blocks.reader();
    for (let block = 0; block * BLOCK_ROWS < count; block++) {
      const { data, rows } = await read(block);
      yield bytesOf(data.subarray(0, rows * dimension));
    }
  }
}

/** Collects vectors in memory. */
export class FlatBuilder implements VectorIndexBuilder {
  readonly #options: FlatOptions;
  readonly #intake: VectorIntake;
  readonly #blocks: MemoryBlocks;

  constructor(options: FlatOptions) {
    this.#options = options;
    this.#intake = new VectorIntake(options.dimension);
    this.#blocks = new MemoryBlocks({ dimension: options.dimension, storage: options.storage ?? 'f32' });
  }

  get count(): number {
    return this.#intake.count;
  }

  async add(block: Float32Array): Promise<void> {
    this.#intake.accept(block);
    this.#blocks.add(block);
  }

  async finish(): Promise<FlatIndex> {
    const metadata = describe(this.#intake, this.#options);
    return FlatIndex.create(metadata, this.#blocks, this.#options.session);
  }
}

/** Writes vectors straight to an index folder; only one block is in memory at a time. */
export async function writeFlatIndex(
  folder: string,
  vectors: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  options: FlatOptions & SaveOptions,
): Promise<VectorIndexMetadata> {
  const { dimension, storage = 'f32' } = options;
  const intake = new VectorIntake(dimension);
  async function* stored(): AsyncGenerator<Uint8Array> {
    for await (const block of vectors) {
      const firstRow = intake.count;
      intake.accept(block);
      const rows = allocateRows(storage, block.length);
      encodeRows(block, rows, { dimension, firstRow });
      yield bytesOf(rows);
    }
  }
  return writeIndexFolder(folder, options, async (writer) => {
    await writer.write(VECTORS_FILE, stored());
    return describe(intake, options);
  });
}

function describe(intake: VectorIntake, { model, storage = 'f32' }: FlatOptions): VectorIndexMetadata {
  return {
    type: 'flat',
    ...intake.finish(),
    storage,
    ...(model === undefined ? {} : { model }),
    createdBy: CREATED_BY,
    parameters: {},
  };
}

function formatOf({ dimension, storage }: VectorIndexMetadata): RowFormat {
  if (storage === 'i8') throw flatInt8();
  return { dimension, storage };
}

/** The error for an exact index of 8-bit vectors, which would not be exact. */
export function flatInt8(): NearmissError {
  return new NearmissError('a flat index stores f32 or f16, got i8', { hint: 'use f16, or the type hnsw' });
}
