import type { Document } from '../../data/index.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import type { DocumentStore } from '../document-store.js';
import type { Embedder } from '../embedder.js';
import type { OverlayState } from '../live/overlay/overlay.js';
import type { CascadeChoice, SearchVectorsOptions } from '../searcher.js';
import type { QueryWords } from '../snippet/query-words.js';
import type { Hit, Retriever, SearchMode } from './retriever.js';

/** The documents that are searched: those that were opened, or these as writes have left them. */
export interface Corpus {
  readonly documents: DocumentStore;
  /** Another mode over the same documents. */
  retriever(mode: SearchMode): Retriever;
}

/** Documents that were opened and the writes on top of them. */
export interface LiveCorpus extends Corpus {
  readonly writes: OverlayState;
}

/** Finds documents by vectors. */
export interface VectorFinder {
  readonly dimension: number;
  /** The scorer that compares rows, where it is not the best inner product. */
  readonly scorer?: string | undefined;
  /** @param vectors one after another */
  search(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]>;
}

/** A model and the vectors that it made of the documents. */
export interface OpenVectors {
  readonly embedder: Embedder;
  readonly index: VectorFinder;
  /** How a document is read: in one piece (FirstP) or several (MaxP). */
  readonly split: SplitTokensOptions;
}

/** A mode over a target that was opened. */
export interface OpenMode {
  /** How gladly it is taken where no mode is named; without one it never is. */
  readonly preference?: number;
  /** What decides what it finds besides the collection and the modes it is made of, to be compared. */
  readonly fingerprint?: unknown;
  /** Of a mode that searches by words. */
  readonly words?: QueryWords;
  /** Of a mode that searches by vectors. */
  readonly vectors?: OpenVectors;
  retriever(corpus: Corpus, choice?: CascadeChoice): Retriever;
  /** The same for documents that change. */
  live(): LiveMode;
}

/** A mode over a target and an overlay of writes on top of it. */
export interface LiveMode {
  /** Told of each document as it gets its slot in the overlay, so that it can be found. */
  add?(slot: number, document: Document): void;
  words?(writes: OverlayState): QueryWords;
  vectors?(writes: OverlayState): VectorFinder;
  retriever(corpus: LiveCorpus, choice?: CascadeChoice): Retriever;
}
