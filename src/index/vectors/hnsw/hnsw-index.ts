import { availableParallelism } from 'node:os';
import { checkSearch, emptyResult, oneRowEachQuery } from '../check-vectors.js';
import { type IndexFolder, type IndexFolderWriter, writeIndexFolder } from '../index-folder.js';
import { VectorCut } from '../vector-cut.js';
import type {
  SaveOptions,
  SearchOptions,
  SearchResult,
  VectorIndex,
  VectorIndexMetadata,
} from '../vector-index.js';
import { int8Scale, largestMagnitude, toInt8 } from './int8.js';
import { Twins } from './twins.js';
import { UsearchGraph } from './usearch.js';

const GRAPH_FILE = 'graph.usearch';

/** Queries handed to the library at once, which bounds the memory of its answers. */
const QUERY_ROWS = 512;

export const DEFAULT_CONNECTIVITY = 16;
export const DEFAULT_EF_CONSTRUCTION = 128;

/** By default a search keeps this many candidates for each vector wanted, and at least so many. */
const EF_PER_WANTED = 1.5;
const EF_FLOOR = 64;

/** What `parameters` of the metadata holds. */
export interface HnswParameters {
  connectivity: number;
  efConstruction: number;
  /** What components were multiplied with to fit 8 bits. */
  scale: number;
  /** How many vectors the graph holds, where some equal others. */
  distinct?: number;
}

interface HnswParts {
  metadata: VectorIndexMetadata;
  graph: UsearchGraph;
  twins: Twins;
  threads?: number;
}

/**
 * Approximate search in a hierarchical navigable small world graph (Malkov and Yashunin 2016), by usearch.
 * Vectors that are equal would crowd each other out of the graph, so it holds the first of them, and {@link Twins} the others.
 */
export class HnswIndex implements VectorIndex {
  readonly metadata: VectorIndexMetadata;
  #graph: UsearchGraph | undefined;
  readonly #twins: Twins;
  readonly #threads: number;
  readonly #cut: VectorCut;

  constructor({ metadata, graph, twins, threads = 0 }: HnswParts) {
    this.metadata = metadata;
    this.#graph = graph;
    this.#twins = twins;
    this.#threads = threads;
    this.#cut = VectorCut.of(metadata);
  }

  /** Opens a folder; with `access: 'disk'` the file is memory-mapped in place of read. */
  static async open(
    folder: IndexFolder,
    options: { access: 'memory' | 'disk'; verify?: boolean; threads?: number },
  ): Promise<HnswIndex> {
    const { storage, count } = folder.metadata;
    const dimension = VectorCut.of(folder.metadata).kept;
    const path = folder.file(GRAPH_FILE);
    // The library follows the numbers in the file wherever they lead: in a damaged one, out of its memory.
    if (options.verify !== false) await folder.verify(GRAPH_FILE);
    const graph = new UsearchGraph({ dimension, storage, ...parametersOf(folder.metadata) });
    try {
      graph.open(path, options.access);
    } catch (error) {
      throw folder.damaged(GRAPH_FILE, error);
    }
    const twins = await Twins.read(folder);
    const expected = count - twins.size;
    if (graph.size !== expected)
      throw folder.damaged(GRAPH_FILE, `expected ${expected} vectors, got ${graph.size}`);
    // The library prepares an opened graph for as many threads as there are cores, and fails with more.
    const threads = options.threads === undefined ? 0 : Math.min(options.threads, availableParallelism());
    return new HnswIndex({ metadata: folder.metadata, graph, twins, threads });
  }

  async search(queries: Float32Array, options: SearchOptions): Promise<SearchResult> {
    oneRowEachQuery(options);
    const total = checkSearch(queries, options, this.metadata);
    const { count } = this.metadata;
    const { kept } = this.#cut;
    const kepts = this.#cut.apply(queries);
    const result = emptyResult(total, options.k);
    if (count === 0) return result;
    const effort = options.efSearch ?? defaultEfSearch(options.k);
    const wanted = Math.min(count - this.#twins.size, Math.max(options.k, effort));
    for (let first = 0; first < total; first += QUERY_ROWS) {
      const rows = Math.min(QUERY_ROWS, total - first);
      this.#searchRows(kepts.subarray(first * kept, (first + rows) * kept), wanted, result, first);
    }
    return result;
  }

  async save(folder: string, options: SaveOptions = {}): Promise<void> {
    await writeIndexFolder(folder, options, (writer) => this.writeFiles(writer));
  }

  /** Adds the files of the index to a folder that is being written. */
  async writeFiles(writer: IndexFolderWriter): Promise<VectorIndexMetadata> {
    await writer.adopt(GRAPH_FILE, (path) => this.#open().save(path));
    await this.#twins.write(writer);
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
    const { ids, distances, counts } = this.#open().search(vectors, wanted, this.#threads);
    for (let row = 0; row < counts.length; row++) {
      const from = row * wanted;
      const found = this.#withTwins(ids.subarray(from, from + counts[row]), result.k, (i) =>
        Math.fround((1 - distances[from + i]) / scales[row]),
      );
      result.ids.set(found.ids.subarray(0, result.k), (firstRow + row) * result.k);
      result.scores.set(found.scores.subarray(0, result.k), (firstRow + row) * result.k);
    }
  }

  /** The best k and what is as good as the last of them, from the matches of a query, which come best first. */
  #withTwins(
    matches: Int32Array,
    k: number,
    scoreOf: (match: number) => number,
  ): { ids: Int32Array; scores: Float32Array } {
    const ids: number[] = [];
    const scores: number[] = [];
    for (let i = 0; i < matches.length; i++) {
      const score = scoreOf(i);
      if (ids.length >= k && score < scores[scores.length - 1]) break;
      ids.push(matches[i]);
      this.#twins.appendTo(ids, matches[i], k - 1);
      while (scores.length < ids.length) scores.push(score);
    }
    const found = { ids: Int32Array.from(ids), scores: Float32Array.from(scores) };
    orderTies(found.scores, found.ids);
    return found;
  }

  /** Queries as the graph compares them, and by how much each one's inner products come out too large. */
  #prepare(queries: Float32Array): { vectors: Float32Array | Int8Array; scales: Float64Array } {
    const { storage } = this.metadata;
    const dimension = this.#cut.kept;
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
function defaultEfSearch(k: number): number {
  return Math.max(EF_FLOOR, Math.ceil(EF_PER_WANTED * k));
}

/** Sorts the ids of equal scores, which the library leaves in any order. */
function orderTies(scores: Float32Array, ids: Int32Array): void {
  for (let start = 0; start < ids.length; ) {
    let end = start + 1;
    while (end < ids.length && scores[end] === scores[start]) end++;
    if (end - start > 1) ids.subarray(start, end).sort();
    start = end;
  }
}

function parametersOf({ parameters }: VectorIndexMetadata): HnswParameters {
  const {
    connectivity = DEFAULT_CONNECTIVITY,
    efConstruction = DEFAULT_EF_CONSTRUCTION,
    scale = 1,
  } = parameters;
  return { connectivity, efConstruction, scale };
}
