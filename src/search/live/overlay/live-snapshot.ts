import type { Document } from '../../../data/index.js';
import type { EncodedTexts } from '../../../model/encoder/encoded-texts.js';
import type { DocumentStore } from '../../document-store.js';
import { CascadeRetriever } from '../../retrievers/cascade-retriever.js';
import { HybridRetriever } from '../../retrievers/hybrid-retriever.js';
import type { Hit, Retriever, SearchMode } from '../../retrievers/retriever.js';
import type { CascadeChoice, Searcher, SearchVectorsOptions } from '../../searcher.js';
import type { Snippet } from '../../snippet.js';
import type { Layer } from './layer.js';
import { LiveDocuments } from './live-documents.js';
import { LiveBm25Retriever, LiveDenseRetriever, searchLiveVectors } from './live-retrievers.js';
import { OverBase } from './over-base.js';
import type { OverlayView } from './overlay.js';

/** Base and writes as they were at one moment. */
export class LiveSnapshot extends OverBase implements Searcher {
  readonly version: string;
  readonly documents: DocumentStore;
  readonly view: OverlayView;
  protected readonly base: Searcher;
  readonly #layer: Layer;
  readonly #release: () => Promise<void>;

  constructor(layer: Layer) {
    super();
    this.#layer = layer;
    this.base = layer.base.searcher;
    this.#release = layer.base.lease();
    this.version = layer.version;
    this.view = layer.view();
    this.documents = new LiveDocuments(this.base.documents, this.view);
  }

  retriever(mode: SearchMode, choice?: CascadeChoice): Retriever {
    const base = this.base.retriever(mode, choice);
    const { counts } = this.view;
    if (counts.documents === 0 && counts.hidden === 0) return base;
    if (mode === 'dense') return new LiveDenseRetriever(this.base, this.view);
    if (base instanceof HybridRetriever) return base.over(base.parts.map((part) => this.retriever(part)));
    if (base instanceof CascadeRetriever) {
      return base.over({ first: this.retriever(base.first.mode), documents: this.documents });
    }
    return new LiveBm25Retriever(base, this.#layer.terms!, this.view);
  }

  encode(texts: readonly string[], use: 'query' | 'document'): Promise<Float32Array> {
    return this.base.encode(texts, use);
  }

  encodeDocuments(texts: readonly string[]): Promise<EncodedTexts> {
    return this.base.encodeDocuments(texts);
  }

  async vectorOf(id: string): Promise<Float32Array | undefined> {
    const entry = this.view.entry(id);
    if (entry === undefined) return this.base.vectorOf(id);
    return entry.vectors?.slice(0, this.model?.dimension);
  }

  searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]> {
    return searchLiveVectors(this.base, this.view, vectors, options);
  }

  snippet(query: string, document: Document, options?: { length?: number }): Snippet {
    return this.#layer.snippet(query, document, { ...options, view: this.view });
  }

  close(): Promise<void> {
    return this.#release();
  }
}
