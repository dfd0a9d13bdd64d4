export const INDEX_TYPES = ['flat', 'hnsw', 'int8', 'binary'] as const;

/**
 * `flat` compares every vector and is exact; `hnsw` walks a graph, faster on large sets and approximate. `int8` and `binary`
 * compare codes of 8 or 1 bits a number in memory, and the best of them again as whole vectors on disk.
 */
export type IndexType = (typeof INDEX_TYPES)[number];

export const STORAGES = ['f32', 'f16', 'i8'] as const;

/** How a vector's components are kept: 4, 2 or 1 bytes each. */
export type VectorStorage = (typeof STORAGES)[number];

/** What is known of an index besides its vectors; `meta.json` of its folder holds it. */
export interface VectorIndexMetadata {
  /**
   * Besides those of vectors `tokens`: compressed rows of documents that have many each, for late interaction; `impacts`:
   * an inverted index of terms and their weights; and `remote`: documents that an engine elsewhere searches.
   */
  type: IndexType | 'tokens' | 'impacts' | 'remote';
  dimension: number;
  /** How many vectors there are; their ids are 0 … count − 1. Of `tokens`, `impacts` and `remote`, how many documents. */
  count: number;
  storage: VectorStorage;
  /** What encoded the vectors, where it was said. */
  model?: string;
  /** The scorer that compares the rows of a query with them, where it is not the best inner product. */
  scorer?: string;
  /** SHA-256 of the vectors as they were added: the same for every type and storage of the same vectors. */
  fingerprint: string;
  createdBy: string;
  /** What the type of index needs to know, e.g. the connectivity of a graph. */
  parameters: Record<string, number>;
  /** Of `remote`: where, which version, and whether every document is compared unless a search says otherwise. */
  remote?: { address: string; version: string; exact: boolean };
}

export interface SearchOptions {
  /** How many vectors to find for each query. */
  k: number;
  /**
   * Candidates that hnsw keeps during the search: more cost time and give recall. Default 1.5 × k and at least 64,
   * which finds more than nine in ten of the true top 200 (docs/vector-index.md). Exact indexes need none.
   */
  efSearch?: number;
  /** Lists that `int8` and `binary` look into, of an index that has lists. Default: as it was built for. */
  probes?: number;
  /** Vectors that `int8` and `binary` compare again as whole ones. Default: as it was built for, else by k. */
  rescore?: number;
  /** For queries with several rows: those of query `i` are `queryOffsets[i] … queryOffsets[i + 1] - 1`. */
  queryOffsets?: Uint32Array;
  /** Compare every document, where an index would leave some out. */
  exhaustive?: boolean;
  /** Only these documents may be found: not 0 for each that may. For indexes that find documents themselves, of tokens. */
  among?: Uint8Array;
}

/** The rows of one query: a view. */
export function queryRows(
  queries: Float32Array,
  query: number,
  { queryOffsets }: Pick<SearchOptions, 'queryOffsets'>,
  dimension: number,
): Float32Array {
  const [first, end] = queryOffsets ? [queryOffsets[query], queryOffsets[query + 1]] : [query, query + 1];
  return queries.subarray(first * dimension, end * dimension);
}

/** The best of each query, best first: row i of both matrices belongs to query i. */
export interface SearchResult {
  k: number;
  /** queries × k vector ids, −1 where fewer were found; equal scores have the lower id first. */
  ids: Int32Array;
  /** queries × k inner products, −∞ where fewer were found. */
  scores: Float32Array;
}

/**
 * Finds the vectors with the largest inner product; of normalised vectors that is the cosine.
 *
 * Searching computes on the calling thread and blocks it: a server opens its index with
 * `openVectorIndexInWorker`.
 */
export interface VectorSearcher {
  readonly metadata: VectorIndexMetadata;
  /** @param queries one after another, each `metadata.dimension` numbers */
  search(queries: Float32Array, options: SearchOptions): Promise<SearchResult>;
  /** Frees memory and files; the index cannot be used afterwards. */
  close(): Promise<void>;
}

/** A folder that is being written. */
export interface FolderFiles {
  /** Writes a file from pieces. */
  write(name: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>;
}

export interface SaveOptions {
  /** Replaces what is there already. */
  overwrite?: boolean;
  /** Writes more files into the same folder, so that all of them appear together. */
  extra?: (folder: FolderFiles) => Promise<void>;
}

/** A set of vectors that can be searched and kept; it does not change. */
export interface VectorIndex extends VectorSearcher {
  /** Writes the index to a folder, which appears when it is complete. */
  save(folder: string, options?: SaveOptions): Promise<void>;
}

/** Takes vectors block by block; the first gets id 0. */
export interface VectorIndexBuilder {
  /** How many vectors were added. */
  readonly count: number;
  /** Adds vectors, one after another in one array, which may be used again afterwards. */
  add(block: Float32Array): Promise<void>;
  /** The index of everything added; nothing can be added any more. */
  finish(): Promise<VectorIndex>;
}
