import type { Document } from '../data/index.js';
import type { EncodedTexts } from '../model/encoder/encoded-texts.js';
import type { EncodingSession } from '../model/precision/precision.js';
import type { DocumentStore } from './document-store.js';
import type { DocumentFilter } from './filter/filter.js';
import type { HybridOptions } from './retrievers/hybrid-retriever.js';
import type { Reranker } from './retrievers/reranker.js';
import type { Hit, Retriever, SearchMode } from './retrievers/retriever.js';
import type { Search } from './search-documents.js';
import type { QueryTerms, Snippet } from './snippet/snippet.js';

/** What is being prepared, so that a person can be told. */
export interface PrepareStep {
  /** E.g. `bm25 index`. */
  label: string;
  unit: string;
  total?: number;
  /** Where the result is kept, so that it is made only once. */
  place: string;
}

/** A collection that would have to be encoded. */
export interface EncodingWork {
  /** The model's name. */
  model: string;
  /** How many: those whose texts the model has encoded before, in the collection's former state, are not counted. */
  documents: number;
  /** Where the vectors will be kept, so that they are made only once. */
  place: string;
  /** How long it will take about: encodes a few documents to find out. */
  estimateSeconds(): Promise<number>;
}

export interface OpenSearcherOptions {
  /** The collection; a run knows its own. */
  data?: string;
  /** The model that encoded the index, or that is to encode the collection, also by the run it comes from; a run knows its own. */
  model?: string;
  /**
   * What encodes a target that is a collection, where `model` is left out and none was chosen for the collection in the
   * web UI; the command line says `minilm` here.
   */
  collectionModel?: string;
  /** A cross-encoder's folder: makes the mode `cascade` possible. */
  reranker?: string;
  /** How many hits the cascade reranks. Default 100. */
  rerankDepth?: number;
  /** What finds the hits that the cascade reranks. Default: the mode that is searched in where none is named. */
  rerankFirst?: SearchMode;
  /** Opens only what these modes need. Default: whatever is possible. */
  modes?: readonly SearchMode[];
  /** How `hybrid` fuses. Default: as tuned by {@link tuneHybrid}, else by the sum of normalised scores. */
  fusion?: HybridOptions;
  /** Where to keep what has to be made. Default: `cache/search` in a run, `.nearmiss` in any other folder. */
  cache?: string;
  threads?: number;
  /** How models are run: provider, precision. */
  session?: EncodingSession;
  /** Computes in worker threads, so that the calling thread stays free: for servers. */
  inWorkers?: boolean;
  /** Called when something has to be built first; `advance` is told how far it is. */
  onProgress?: (step: PrepareStep) => { advance(units: number): void; finish(): void };
  /**
   * Asked before a collection is encoded; where the answer is no, only the modes are opened that need no vectors.
   * Default: yes.
   */
  mayEncode?: (work: EncodingWork) => boolean | Promise<boolean>;
  /** Stops encoding; what is encoded until then is kept, and the next opening goes on there. */
  signal?: AbortSignal;
  /** Told what is worth knowing, e.g. that a run's collection is not there. */
  onNote?: (note: string) => void;
}

/** What a cascade reranks, where that is not what the searcher was opened with. */
export interface CascadeChoice {
  first?: SearchMode;
  depth?: number;
}

export interface SearchVectorsOptions {
  k: number;
  /** For queries with several rows: those of query `i` are `offsets[i] … offsets[i + 1] - 1`. */
  offsets?: Uint32Array;
  filter?: DocumentFilter;
  /** Stops where nobody waits for the hits any more. */
  signal?: AbortSignal;
}

export interface EncodeTextsOptions {
  /** Stops between batches where nobody waits for the vectors any more. */
  signal?: AbortSignal;
}

/** Everything that can be asked of a run, an index or a collection. */
export interface Searcher {
  /** The folder's name. */
  readonly name: string;
  /**
   * A short fingerprint of all that decides what is found (model, index, collection, reranker, weights): another one
   * when something newer is opened.
   */
  readonly version: string;
  readonly modes: readonly SearchMode[];
  /** The vectors of a run that labels have judged, unless its weights were tuned; else `hybrid`, or what there is. */
  readonly defaultMode: SearchMode;
  readonly documents: DocumentStore;
  readonly model?: { name: string; dimension: number } | undefined;
  readonly reranker?: Reranker | undefined;
  /**
   * Finds documents, with their texts, for one query or for several.
   *
   * @example
   * const hits = await searcher.search('what causes anemia', { k: 3 });
   * console.log(hits[0].score, hits[0].text);
   */
  readonly search: Search;
  /**
   * Fails with what is missing where the mode is not possible.
   *
   * @param choice of the mode `cascade`
   */
  retriever(mode: SearchMode, choice?: CascadeChoice): Retriever;
  /** One vector after another; fails where there is no model, or one that makes several rows of a text. */
  encode(
    texts: readonly string[],
    use: 'query' | 'document',
    options?: EncodeTextsOptions,
  ): Promise<Float32Array>;
  /** How well texts answer a query, as the model compares their rows; fails where there is no model. */
  score(query: string, texts: readonly string[], options?: EncodeTextsOptions): Promise<Float32Array>;
  /** The rows of documents as the index has them. */
  encodeDocuments(texts: readonly string[]): Promise<EncodedTexts>;
  /** The vector of a document, e.g. to find its neighbours. */
  vectorOf(id: string): Promise<Float32Array | undefined>;
  /** Finds documents by vectors, one after another in one array. */
  searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]>;
  /** The words of a query that are worth marking in a text, as {@link snippet} takes them for one document after another. */
  queryTerms(query: string): QueryTerms;
  /** The part of a document's text to show for a query. */
  snippet(query: string | QueryTerms, document: Document, options?: { length?: number }): Snippet;
  close(): Promise<void>;
}
