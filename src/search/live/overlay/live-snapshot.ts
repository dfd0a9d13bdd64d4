import { fullText } from '../../../data/dataset.js';
import type { EncodedTexts } from '../../../model/encoder/encoded-texts.js';
import type { BaseSearcher } from '../../base-searcher.js';
import type { DocumentStore } from '../../document-store.js';
import type { LiveCorpus, LiveMode } from '../../retrievers/open-mode.js';
import type { Hit, Retriever, SearchMode } from '../../retrievers/retriever.js';
import type { CascadeChoice, EncodeTextsOptions, Searcher, SearchVectorsOptions } from '../../searcher.js';
import { PLAIN_WORDS, termsOf } from '../../snippet/query-words.js';
import type { QueryTerms } from '../../snippet/snippet.js';
import type { Layer } from './layer.js';
import { LiveDocuments } from './live-documents.js';
import { OverBase } from './over-base.js';
import type { OverlayState } from './overlay.js';

/** Base and writes as they were at one moment. */
export class LiveSnapshot extends OverBase implements Searcher, LiveCorpus {
  readonly version: string;
  readonly documents: DocumentStore;
  readonly writes: OverlayState;
  protected readonly base: BaseSearcher;
  readonly #layer: Layer;
  readonly #release: () => Promise<void>;

  constructor(layer: Layer) {
    super();
    this.#layer = layer;
    this.base = layer.base.searcher;
    this.#release = layer.base.lease();
    this.version = layer.version;
    this.writes = layer.state();
    this.documents = new LiveDocuments(this.base.documents, this.writes);
  }

  retriever(mode: SearchMode, choice?: CascadeChoice): Retriever {
    // Refuses a mode that is not possible.
    const base = this.base.retriever(mode, choice);
    return this.writes.isEmpty ? base : this.#layer.modes.get(mode)!.retriever(this, choice);
  }

  encode(
    texts: readonly string[],
    use: 'query' | 'document',
    options?: EncodeTextsOptions,
  ): Promise<Float32Array> {
    return this.base.encode(texts, use, options);
  }

  score(query: string, texts: readonly string[], options?: EncodeTextsOptions): Promise<Float32Array> {
    return this.base.score(query, texts, options);
  }

  encodeDocuments(texts: readonly string[]): Promise<EncodedTexts> {
    return this.base.encodeDocuments(texts);
  }

  async vectorOf(id: string): Promise<Float32Array | undefined> {
    const entry = this.writes.entry(id);
    if (entry === undefined) return this.base.vectorOf(id);
    const { document, vectors } = entry;
    if (vectors === undefined || vectors.length === this.model?.dimension) return vectors;
    return document && this.encode([fullText(document)], 'document');
  }

  searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]> {
    const finder = this.#firstOf((mode) => mode.vectors?.(this.writes));
    return finder ? finder.search(vectors, options) : this.base.searchVectors(vectors, options);
  }

  /** As the base has them, with the words that only added documents have. */
  queryTerms(query: string): QueryTerms {
    return termsOf(this.#firstOf((mode) => mode.words?.(this.writes)) ?? PLAIN_WORDS, query);
  }

  close(): Promise<void> {
    return this.#release();
  }

  #firstOf<T>(ask: (mode: LiveMode) => T | undefined): T | undefined {
    for (const mode of this.#layer.modes.values()) {
      const answer = ask(mode);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }
}
