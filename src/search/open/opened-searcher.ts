import { NearmissError } from '../../base/errors.js';
import { type Document, fullText } from '../../data/dataset.js';
import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import { analyze, englishAnalyzer } from '../../text/analyzers/index.js';
import type { SplitTokensOptions } from '../../text/split-tokens.js';
import type { DenseIndex } from '../dense-index.js';
import { type DocumentStore, NO_DOCUMENTS } from '../document-store.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { Embedder, TextUse } from '../embedder.js';
import { Bm25Explainer } from '../retrievers/bm25-explain.js';
import type { Bm25Retriever } from '../retrievers/bm25-retriever.js';
import { CascadeRetriever } from '../retrievers/cascade-retriever.js';
import { DenseRetriever } from '../retrievers/dense-retriever.js';
import { type HybridOptions, HybridRetriever } from '../retrievers/hybrid-retriever.js';
import type { Reranker } from '../retrievers/reranker.js';
import {
  type FirstMode,
  type Hit,
  type Retriever,
  SEARCH_MODES,
  type SearchMode,
} from '../retrievers/retriever.js';
import type { CascadeChoice, Searcher, SearchVectorsOptions } from '../searcher.js';
import { makeSnippet, type Snippet } from '../snippet.js';
import { indexVersion, searcherVersion } from './version.js';

/** What a searcher is made of; each part may be missing. */
export interface SearcherParts {
  name: string;
  store?: StoredDocuments;
  words?: Bm25Retriever;
  vectors?: {
    embedder: Embedder;
    index: DenseIndex;
    fingerprint: string;
    /** How a document is read: in one piece (FirstP) or several (MaxP). */
    split: SplitTokensOptions;
  };
  reranker?: Reranker;
  rerankDepth?: number;
  rerankFirst?: FirstMode;
  /** The model was trained on this collection. */
  trained?: boolean;
}

const MISSING: Record<SearchMode, { what: string; hint: string }> = {
  bm25: { what: 'no BM25 index and no collection to make one of', hint: 'name the collection with --data' },
  dense: { what: 'no vectors', hint: 'search a run, or give --model to encode the collection' },
  hybrid: {
    what: 'not both words and vectors',
    hint: 'search a run whose collection is there, or give --data and --model',
  },
  cascade: { what: 'no cross-encoder', hint: 'give one with --reranker, and the collection with --data' },
};

/**
 * The order in which a mode is chosen where none is named. A trained model is usually so far ahead of BM25 that fusing
 * their ranks costs more than it brings (docs/search.md), unless weights were tuned.
 */
const PREFERENCE: Record<'fused' | 'trained', readonly SearchMode[]> = {
  fused: ['hybrid', 'dense', 'bm25'],
  trained: ['dense', 'hybrid', 'bm25'],
};

/** A searcher of parts that were opened for it and that it closes. */
export class OpenedSearcher implements Searcher {
  readonly name: string;
  readonly version: string;
  /** Without what fuses and reranks. */
  readonly indexVersion: string;
  readonly modes: readonly SearchMode[];
  readonly defaultMode: SearchMode;
  readonly documents: DocumentStore;
  readonly model: Searcher['model'];
  readonly reranker: Reranker | undefined;
  readonly #parts: SearcherParts;
  readonly #explainer: Bm25Explainer | undefined;
  readonly #retrievers = new Map<SearchMode, Retriever>();

  constructor(parts: SearcherParts, fusion?: HybridOptions) {
    const { name, store, words, vectors, reranker } = parts;
    this.#parts = parts;
    this.name = name;
    this.documents = store ?? NO_DOCUMENTS;
    this.model = vectors && modelOf(vectors.embedder);
    this.reranker = reranker;
    this.#explainer = words && new Bm25Explainer(words.index);
    this.#addRetrievers(fusion);
    const preference = PREFERENCE[parts.trained && !fusion ? 'trained' : 'fused'];
    this.defaultMode = preference.find((mode) => this.#retrievers.has(mode))!;
    const cascade = this.#addCascade();
    this.modes = SEARCH_MODES.filter((mode) => this.#retrievers.has(mode));
    this.indexVersion = indexVersion(parts);
    this.version = searcherVersion(this.indexVersion, { fusion, cascade });
  }

  retriever(mode: SearchMode, choice: CascadeChoice = {}): Retriever {
    const retriever = this.#retrievers.get(mode);
    if (!retriever) {
      const { what, hint } = MISSING[mode];
      throw new NearmissError(`${this.name}: cannot search in mode "${mode}": ${what}`, { hint });
    }
    if (!(retriever instanceof CascadeRetriever)) return retriever;
    const { first, depth } = choice;
    return retriever.over({ ...(first && { first: this.retriever(first) }), ...(depth && { depth }) });
  }

  async encode(texts: readonly string[], use: TextUse): Promise<Float32Array> {
    return (await this.#vectors().embedder.encode(texts, use)).vectors;
  }

  async encodeDocuments(texts: readonly string[]): Promise<EncodedTexts> {
    const { embedder, split } = this.#vectors();
    return embedder.encode(texts, 'document', split);
  }

  async vectorOf(id: string): Promise<Float32Array | undefined> {
    const document = await this.documents.get(id);
    return document && this.encode([fullText(document)], 'document');
  }

  async searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]> {
    return this.#vectors().index.search(vectors, options);
  }

  snippet(query: string, document: Document, options: { length?: number } = {}): Snippet {
    const analyzer = this.#parts.words?.index.analyzer ?? englishAnalyzer;
    const terms =
      this.#explainer?.weights(query) ?? new Map(analyze(analyzer, query).map((term) => [term, 1]));
    return makeSnippet(document.text, { analyzer, terms, ...options });
  }

  async close(): Promise<void> {
    const { store, words, vectors, reranker } = this.#parts;
    const open = [words, vectors?.embedder, vectors?.index, reranker, store];
    await Promise.all(open.map((part) => part?.close()));
  }

  #addRetrievers(fusion: HybridOptions | undefined): void {
    const { words: bm25, vectors } = this.#parts;
    const dense = vectors && new DenseRetriever(vectors.embedder, vectors.index);
    const hybrid = bm25 && dense && new HybridRetriever([dense, bm25], fusion);
    for (const retriever of [bm25, dense, hybrid]) {
      if (retriever) this.#retrievers.set(retriever.mode, retriever);
    }
  }

  #addCascade(): CascadeRetriever | undefined {
    const { reranker, store: documents, rerankDepth: depth, rerankFirst } = this.#parts;
    const first = this.#retrievers.get(rerankFirst ?? this.defaultMode);
    if (!reranker || !documents || !first) return undefined;
    const cascade = new CascadeRetriever({ first, reranker, documents, depth });
    this.#retrievers.set(cascade.mode, cascade);
    return cascade;
  }

  #vectors(): NonNullable<SearcherParts['vectors']> {
    if (this.#parts.vectors) return this.#parts.vectors;
    throw new NearmissError(`${this.name}: there is no model here that makes vectors`, {
      hint: MISSING.dense.hint,
    });
  }
}

function modelOf({ info: { name, dimension } }: Embedder): { name: string; dimension: number } {
  return { name, dimension };
}
