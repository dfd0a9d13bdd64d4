import type { SessionOptions } from '../engine/index.js';
import type { DocumentStore } from './document-store.js';
import type { DocumentFilter } from './filter.js';
import type { Hit, Retriever, SearchMode } from './retriever.js';

/** What is being prepared, so that a person can be told. */
export interface PrepareStep {
  /** E.g. `bm25 index`. */
  label: string;
  unit: string;
  total?: number;
}

export interface OpenSearcherOptions {
  /** The collection; a run knows its own. */
  data?: string;
  /** The model that encoded the index, or that is to encode the collection; a run knows its own. */
  model?: string;
  /** A cross-encoder's folder: makes the mode `cascade` possible. */
  reranker?: string;
  /** How many hits the cascade reranks. Default 100. */
  rerankDepth?: number;
  threads?: number;
  session?: SessionOptions;
  /** Computes in worker threads, so that the calling thread stays free: for servers. */
  inWorkers?: boolean;
  /** Called when something has to be built first; `advance` is told how far it is. */
  onProgress?: (step: PrepareStep) => { advance(units: number): void; finish(): void };
}

export interface SearchVectorsOptions {
  k: number;
  filter?: DocumentFilter;
}

/** Everything that can be asked of a run, an index or a collection. */
export interface Searcher {
  /** The folder's name. */
  readonly name: string;
  /** A short fingerprint of model, index and collection: another one when a newer index is opened. */
  readonly version: string;
  readonly modes: readonly SearchMode[];
  /** `hybrid` where there are words and vectors, else what there is. */
  readonly defaultMode: SearchMode;
  readonly documents: DocumentStore;
  readonly model?: { name: string; dimension: number };
  /** Fails with what is missing where the mode is not possible. */
  retriever(mode: SearchMode): Retriever;
  /** One vector after another; fails where there is no model. */
  encode(texts: readonly string[], use: 'query' | 'document'): Promise<Float32Array>;
  /** The vector of a document, e.g. to find its neighbours. */
  vectorOf(id: string): Promise<Float32Array | undefined>;
  searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]>;
  close(): Promise<void>;
}
