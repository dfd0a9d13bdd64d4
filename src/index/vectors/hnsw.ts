import { NearmissError } from '../../base/errors.js';
import { CREATED_BY } from '../../base/version.js';
import { checkSearch, emptyResult } from './check-vectors.js';
import { type IndexFolder, type IndexFolderWriter, writeIndexFolder } from './index-folder.js';
import { int8Scale, largestMagnitude, toInt8 } from './int8.js';
import { expectHalfRange } from './row-codec.js';
import { UsearchGraph } from './usearch.js';
import type {
  SaveOptions,
  SearchOptions,
  SearchResult,
  VectorIndex,
  VectorIndexBuilder,
  VectorIndexMetadata,
  VectorStorage,
} from './vector-index.js';
import { VectorIntake } from './vector-intake.js';

const GRAPH_FILE = 'graph.usearch';

/** Queries handed to the library at once, which bounds the memory of its answers. */
const QUERY_ROWS = 512;

export const DEFAULT_CONNECTIVITY = 16;
export const DEFAULT_EF_CONSTRUCTION = 128;

/** By default a search keeps this many candidates for each vector wanted, and at least so many. */
const EF_PER_WANTED = 2.5;
const EF_FLOOR = 64;

/** Vectors that are looked at before the scale of 8-bit components is chosen. */
const SCALE_ROWS = 10_000;

export interface HnswOptions {
  dimension: number;
  /** Default `f32`; `i8` takes a quarter of the memory and a little recall. */
  storage?: VectorStorage;
  model?: string;
  /** Where the vectors are from, for error messages. Default `vectors`. */
  source?: string;
  /** Neighbours of a vector in the graph, M (twice as many in its lowest layer). Default 16. */
  connectivity?: number;
  /** Candidates kept while a vector is placed in the graph: more cost time and give recall. Default 128. */
  efConstruction?: number;
  /**
   * Threads; all cores when left out. With more than one the graph depends on their timing: for the same bits each
   * time, use 1. Searches before the index is saved and opened again use no more than the build did.
   */
  threads?: number;
}

interface HnswParameters {
  connectivity: number;
  efConstruction: number;
  /** What components were multiplied with to fit 8 bits. */
  scale: number;
}

/**
 * Approximate search in a hierarchical navigable small world graph (Malkov and Yashunin 2016), by usearch.
 * Vectors that are equal crowd each other out of the graph: of thousands alike only some hundred can be found.
 */
export class HnswIndex implements VectorIndex {
  readonly metadata: VectorIndexMetadata;
  #graph: UsearchGraph | undefined;
  readonly #threads: number;

  constructor(metadata: VectorIndexMetadata, graph: UsearchGraph, threads = 0) {
    this.metadata = metadata;
    this.#graph = graph;
    this.#threads = threads;
  }

  /** Opens a folder; with `access: 'disk'` the file is memory-mapped in place of read. */
  static async open(
    folder: IndexFolder,
    options: { access: 'memory' | 'disk'; threads?: number },
  ): Promise<HnswIndex> {
    const { dimension, storage, count } = folder.metadata;
    const path = folder.file(GRAPH_FILE);
    // Parts of a mapped file that no search needs are never read, so not for a checksum either.
    if (options.access === 'memory') await folder.verify(GRAPH_FILE);
    const graph = new UsearchGraph({ dimension, storage, ...parametersOf(folder.metadata) });
    try {
      graph.open(path, options.access);
    } catch (error) {
      throw folder.damaged(GRAPH_FILE, error);
    }
    if (graph.size !== count)
      throw folder.damaged(GRAPH_FILE, `expected ${count} vectors, got ${graph.size}`);
    return new HnswIndex(folder.metadata, graph, options.threads);
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    const total = checkSearch(queries, options, this.metadata);
    const { dimension, count } = this.metadata;
    const result = emptyResult(total, options.k);
    if (count === 0) return result;
    const effort = options.efSearch ?? defaultEfSearch(options.k);
    const wanted = Math.min(count, Math.max(options.k, effort));
    for (let first = 0; first < total; first += QUERY_ROWS) {
      const rows = Math.min(QUERY_ROWS, total - first);
      this.#searchRows(
        queries.subarray(first * dimension, (first + rows) * dimension),
        wanted,
        result,
        first,
      );
    }
    return result;
  }

  async save(folder: string, options: SaveOptions = {}): Promise<void> {
    await writeIndexFolder(folder, options, (writer) => this.writeFiles(writer));
  }

  /** Adds the files of the index to a folder that is being written. */
  async writeFiles(writer: IndexFolderWriter): Promise<VectorIndexMetadata> {
    await writer.adopt(GRAPH_FILE, (path) => this.#open().save(path));
    return this.metadata;
  }

  /** The library frees its memory when the graph is garbage collected. */
  async close(): Promise<void> {
    this.#graph = undefined;
  }

  #open(): UsearchGraph {
    if (!this.#graph) throw new Error('The index is closed');
    return this.#graph;
  }

  #searchRows(queries: Float32Array, wanted: number, result: SearchResult, firstRow: number): void {
    const { vectors, scales } = this.#prepare(queries);
    const { keys, distances, counts } = this.#open().search(vectors, wanted, this.#threads);
    const ids = new Int32Array(wanted);
    const scores = new Float32Array(wanted);
    for (let row = 0; row < counts.length; row++) {
      const found = counts[row];
      for (let i = 0; i < found; i++) {
        ids[i] = Number(keys[row * wanted + i]);
        scores[i] = (1 - distances[row * wanted + i]) / scales[row];
      }
      orderTies(scores, ids, found);
      const kept = Math.min(found, result.k);
      result.ids.set(ids.subarray(0, kept), (firstRow + row) * result.k);
      result.scores.set(scores.subarray(0, kept), (firstRow + row) * result.k);
    }
  }

  /** Queries as the graph compares them, and by how much each one's inner products come out too large. */
  #prepare(queries: Float32Array): { vectors: Float32Array | Int8Array; scales: Float64Array } {
    const { dimension, storage } = this.metadata;
    const scales = new Float64Array(queries.length / dimension).fill(1);
    if (storage !== 'i8') return { vectors: queries, scales };
    const { scale } = parametersOf(this.metadata);
    const vectors = new Int8Array(queries.length);
    for (let row = 0; row < scales.length; row++) {
      const query = queries.subarray(row * dimension, (row + 1) * dimension);
      const queryScale = int8Scale(largestMagnitude(query));
      toInt8(query, queryScale, vectors.subarray(row * dimension, (row + 1) * dimension));
      scales[row] = scale * queryScale;
    }
    return { vectors, scales };
  }
}

/** How many candidates a search for k vectors keeps unless it is told. */
export function defaultEfSearch(k: number): number {
  return Math.max(EF_FLOOR, Math.ceil(EF_PER_WANTED * k));
}

/** Sorts the ids of equal scores, which the library leaves in any order. */
function orderTies(scores: Float32Array, ids: Int32Array, length: number): void {
  for (let start = 0; start < length; ) {
    let end = start + 1;
    while (end < length && scores[end] === scores[start]) end++;
    if (end - start > 1) ids.subarray(start, end).sort();
    start = end;
  }
}

/** Places vectors in the graph as they come; the calling thread is blocked while it does. */
export class HnswBuilder implements VectorIndexBuilder {
  readonly #options: HnswOptions;
  readonly #storage: VectorStorage;
  readonly #parameters: HnswParameters;
  readonly #intake: VectorIntake;
  readonly #graph: UsearchGraph;
  /** The first vectors, which decide the scale of 8-bit ones, until there are enough of them. */
  #held: Float32Array[] | undefined;

  constructor(options: HnswOptions) {
    this.#options = options;
    const { dimension, storage = 'f32' } = options;
    const connectivity = atLeast('connectivity', options.connectivity ?? DEFAULT_CONNECTIVITY, 2);
    const efConstruction = atLeast('efConstruction', options.efConstruction ?? DEFAULT_EF_CONSTRUCTION, 1);
    this.#storage = storage;
    this.#parameters = { connectivity, efConstruction, scale: 1 };
    this.#intake = new VectorIntake(options);
    this.#graph = new UsearchGraph({ dimension, storage, connectivity, efConstruction });
    if (storage === 'i8') this.#held = [];
  }

  get count(): number {
    return this.#intake.count;
  }

  async add(block: Float32Array): Promise<void> {
    const firstRow = this.#intake.count;
    this.#intake.accept(block);
    const { dimension, source } = this.#intake;
    if (this.#storage === 'f16') expectHalfRange(block, { dimension, firstRow, source });
    if (!this.#held) this.#place(block);
    else {
      this.#held.push(block.slice());
      if (this.#intake.count >= SCALE_ROWS) this.#releaseHeld();
    }
  }

  async finish(): Promise<HnswIndex> {
    this.#releaseHeld();
    const { model, threads } = this.#options;
    const metadata: VectorIndexMetadata = {
      type: 'hnsw',
      ...this.#intake.finish(),
      storage: this.#storage,
      ...(model === undefined ? {} : { model }),
      createdBy: CREATED_BY,
      parameters: { ...this.#parameters },
    };
    return new HnswIndex(metadata, this.#graph, threads);
  }

  /** Chooses the scale by what was held back; whatever is larger in later vectors is clamped. */
  #releaseHeld(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    this.#parameters.scale = int8Scale(Math.max(0, ...held.map(largestMagnitude)));
    for (const block of held) this.#place(block);
  }

  #place(block: Float32Array): void {
    if (block.length === 0) return;
    let vectors: Float32Array | Int8Array = block;
    if (this.#storage === 'i8') {
      vectors = new Int8Array(block.length);
      toInt8(block, this.#parameters.scale, vectors);
    }
    this.#graph.add(this.#graph.size, vectors, this.#options.threads ?? 0);
  }
}

/** Builds a graph in memory and writes it; the folder is claimed before the work begins. */
export async function writeHnswIndex(
  folder: string,
  vectors: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  options: HnswOptions & SaveOptions,
): Promise<VectorIndexMetadata> {
  return writeIndexFolder(folder, options, async (writer) => {
    const builder = new HnswBuilder(options);
    for await (const block of vectors) await builder.add(block);
    return (await builder.finish()).writeFiles(writer);
  });
}

function parametersOf({ parameters }: VectorIndexMetadata): HnswParameters {
  const {
    connectivity = DEFAULT_CONNECTIVITY,
    efConstruction = DEFAULT_EF_CONSTRUCTION,
    scale = 1,
  } = parameters;
  return { connectivity, efConstruction, scale };
}

function atLeast(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new NearmissError(`${name}: expected an integer from ${least} up, got ${value}`);
}
