import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import type { DocumentFields, FilterTree } from './filter-tree.js';

/** Where an engine is: `SCHEME://[USER@]HOST:PORT[,HOST:PORT…][/DATABASE][/NAME]`; with an `s` after the scheme, over TLS. */
export interface EngineAddress {
  engine: string;
  secure: boolean;
  /** In the order in which they are tried; each `HOST` or `HOST:PORT`. */
  hosts: readonly string[];
  /** Of engines that have several. */
  database?: string;
  /** Of the collection; undefined where the address names none. */
  name?: string;
  user?: string;
  /** `?exact` at its end: every document is compared. */
  exact: boolean;
  /** What else was said after `?`, of what the engine knows. */
  settings: Readonly<Record<string, string>>;
  /** As it was given; passwords are not part of it. */
  text: string;
}

/** Sparse vectors: of text `i` the terms and their weights are at `offsets[i] … offsets[i + 1] - 1`. */
export interface SparseRows {
  terms: Uint32Array;
  weights: Float32Array;
  offsets: Uint32Array;
}

const QUANTIZATIONS = ['none', 'int8', 'binary'] as const;

/** How vectors are kept in memory besides those that rescore: as they are, in a byte or in a bit a number. */
export type Quantization = (typeof QUANTIZATIONS)[number];

/** How an engine lays a version out; each takes what it knows of. */
export interface EngineSettings {
  /** Numbers of a row. Default f32. */
  storage?: 'f32' | 'f16';
  /** Parts that lie on different machines; they cannot be changed later. Default: the engine's. */
  shards?: number;
  /** Machines that have each part. Default 1. */
  replicas?: number;
  /** Default none. What is found with fewer bits is compared again with the whole rows. */
  quantization?: Quantization;
  /** No graph: every search compares all documents. For what is searched exactly anyway. */
  exact?: boolean;
}

/** What a version holds. */
export interface VersionShape extends EngineSettings {
  /** Of dense rows; without them left out. */
  dimension?: number;
  /**
   * How rows are compared. `one`: a row each. `best`: a document scores as its best row (MaxP, ME-BERT). `max-sim`: each row of the
   * query with its best, summed (ColBERT).
   */
  compare: 'one' | 'best' | 'max-sim';
  /** Whether documents have sparse vectors. */
  sparse: boolean;
}

/** What is known of a version besides its documents; an engine keeps it beside them. */
export interface VersionDescription {
  shape: VersionShape;
  /** Documents there are. */
  count: number;
  /** Those with a row or a term, which can be found. */
  findable: number;
  /** Stands for rows, documents and shape. */
  fingerprint: string;
  /** What encoded the rows. */
  model?: string;
  /** SHA-256 of its weights, where it is known. */
  weights?: string;
  /** Whether documents have fields to filter by, and texts to show. */
  documents: boolean;
  createdBy: string;
  /** Everything is there and was checked. */
  complete: boolean;
}

/** What an engine keeps of a document besides its vectors. */
export interface EngineDocument {
  id: string;
  title?: string;
  text?: string;
  metadata?: Record<string, unknown>;
  fields?: DocumentFields;
}

/** Documents with neighbouring numbers. */
export interface EngineBatch {
  /** The number of the first. */
  first: number;
  documents: readonly EngineDocument[];
  rows?: EncodedTexts;
  sparse?: SparseRows;
}

/** A search of several queries: by rows, or by terms. */
export interface EngineSearch {
  rows?: EncodedTexts;
  sparse?: SparseRows;
  k: number;
  /** Compare every document as it is. */
  exact?: boolean;
  /** Candidates that a graph keeps. */
  efSearch?: number;
  filter?: FilterTree;
  /** Documents' own ids are wanted besides their numbers. */
  ids?: boolean;
  signal?: AbortSignal;
}

export interface EngineHit {
  number: number;
  score: number;
  id?: string;
}

export interface EngineAnswer {
  /** Of each query, best first. */
  hits: EngineHit[][];
  /** Why documents may be missing, where the engine says so: a part that did not answer in time. */
  partial?: string;
}

/** How a version is: `ready`, or why not. */
export interface VersionState {
  count: number;
  ready: boolean;
  /** E.g. that a graph is being built, or that parts have fewer copies than they should. */
  note?: string;
}

/**
 * A connection to an engine. A *version* is one state of a collection and never changes once it is complete; a *name* points to one of
 * its versions and is what others search. Adding the same documents again changes nothing, so whatever fails may be repeated.
 */
export interface EngineConnection {
  /** Versions of a name, complete or not. */
  versions(name: string): Promise<string[]>;
  /** The version that a name points to. */
  current(name: string): Promise<string | undefined>;
  /** Makes an empty version, unless it is there. */
  create(version: string, description: VersionDescription): Promise<void>;
  /** Returns when the documents are safe. */
  add(version: string, batch: EngineBatch): Promise<void>;
  /** Builds what makes a loaded version fast, and waits for it. @param fields what can be filtered by */
  build(version: string, fields: VersionFields, onProgress?: (note: string) => void): Promise<void>;
  /** Undefined where there is no such version. */
  describe(version: string): Promise<VersionDescription | undefined>;
  redescribe(version: string, description: VersionDescription): Promise<void>;
  state(version: string): Promise<VersionState>;
  search(version: string, search: EngineSearch): Promise<EngineAnswer>;
  /** Documents by number, in the order asked for; with their rows where wanted. */
  read(version: string, numbers: readonly number[]): Promise<(StoredDocument | undefined)[]>;
  /** Documents by id, in the order asked for. */
  find(version: string, ids: readonly string[]): Promise<(EngineDocument | undefined)[]>;
  /** All documents in the order of their numbers, without texts. */
  scan(version: string): AsyncIterable<EngineDocument>;
  /** Lets a name point to a version: whoever searches sees one or the other. */
  point(name: string, version: string): Promise<void>;
  remove(version: string): Promise<void>;
  close(): Promise<void>;
}

/** Fields of each type that documents have. */
export type VersionFields = Record<'texts' | 'numbers' | 'flags', ReadonlySet<string>>;

export interface StoredDocument extends EngineDocument {
  rows: Float32Array;
}

/** A kind of engine: a file here and a line in kinds.ts. What it needs is imported when it connects. */
export interface Engine {
  /** What recipes call it. */
  readonly name: string;
  /** How its addresses begin, the usual way first. */
  readonly schemes: readonly string[];
  /** An address of it, for errors. */
  readonly example: string;
  /** Its addresses name a database before the name of the collection. */
  readonly hasDatabases?: boolean;
  /** What its addresses may say after `?`, besides `exact`. */
  readonly settings?: readonly string[];
  connect(address: EngineAddress, options?: ConnectOptions): Promise<EngineConnection>;
}

export interface ConnectOptions {
  /** How long requests are repeated that are not answered, but for those that take long by nature. Default: a minute. */
  patienceMs?: number;
}
