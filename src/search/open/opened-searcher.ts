import type { Closing } from '../../base/closing.js';
import { NearmissError } from '../../base/errors.js';
import { type Document, fullText } from '../../data/dataset.js';
import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import { onlyRows } from '../../model/encoder/encoded-texts.js';
import type { BaseSearcher } from '../base-searcher.js';
import { type DocumentStore, NO_DOCUMENTS } from '../document-store.js';
import type { TextUse } from '../embedder.js';
import { firstModeNamed, howToGet, searchModes } from '../retrievers/modes.js';
import type { OpenMode, OpenVectors } from '../retrievers/open-mode.js';
import type { Reranker } from '../retrievers/reranker.js';
import type { Hit, Retriever, SearchMode } from '../retrievers/retriever.js';
import { scoreTexts } from '../retrievers/score-texts.js';
import { type Search, searchDocuments } from '../search-documents.js';
import type { CascadeChoice, EncodeTextsOptions, Searcher, SearchVectorsOptions } from '../searcher.js';
import { PLAIN_WORDS, type QueryWords, snippetOf, termsOf } from '../snippet/query-words.js';
import type { QueryTerms, Snippet } from '../snippet/snippet.js';
import { defaultMode } from './default-mode.js';
import { indexVersion, searcherVersion } from './version.js';

/** What a searcher is made of. */
export interface SearcherParts {
  name: string;
  store: (DocumentStore & { content: string }) | undefined;
  /** In the order in which modes are shown. */
  opened: ReadonlyMap<SearchMode, OpenMode>;
  reranker: Reranker | undefined;
  /** Closes all of it. */
  closing: Closing;
}

const HOW = { run: 'search a run', give: 'give' };

/** A searcher of parts that were opened for it and that it closes. */
export class OpenedSearcher implements BaseSearcher {
  readonly name: string;
  readonly version: string;
  /** Without what fuses and reranks. */
  readonly indexVersion: string;
  readonly modes: readonly SearchMode[];
  readonly defaultMode: SearchMode;
  readonly documents: DocumentStore;
  readonly model: Searcher['model'];
  readonly reranker: Reranker | undefined;
  readonly opened: ReadonlyMap<SearchMode, OpenMode>;
  readonly search: Search = searchDocuments(this);
  readonly #words: QueryWords;
  readonly #vectors: OpenVectors | undefined;
  readonly #closing: Closing;

  constructor({ name, store, opened, reranker, closing }: SearcherParts) {
    const open = [...opened.values()];
    this.name = name;
    this.documents = store ?? NO_DOCUMENTS;
    this.reranker = reranker;
    this.opened = opened;
    this.#closing = closing;
    this.#words = open.find(({ words }) => words)?.words ?? PLAIN_WORDS;
    this.#vectors = open.find(({ vectors }) => vectors)?.vectors;
    this.model = this.#vectors && modelOf(this.#vectors);
    this.modes = [...opened.keys()];
    this.defaultMode = defaultMode(opened)!;
    this.indexVersion = indexVersion(store, opened);
    this.version = searcherVersion(store, opened);
  }

  retriever(mode: SearchMode, choice: CascadeChoice = {}): Retriever {
    const known = searchModes.get(mode);
    if (choice.first !== undefined) firstModeNamed(choice.first);
    const open = this.opened.get(mode);
    if (open) return open.retriever(this, choice);
    throw new NearmissError(`${this.name}: cannot search in mode "${mode}": it needs ${known.needs.what}`, {
      hint: howToGet(known, HOW),
    });
  }

  async encode(texts: readonly string[], use: TextUse, options?: EncodeTextsOptions): Promise<Float32Array> {
    return onlyRows(await this.#model().embedder.encode(texts, use, options));
  }

  async score(query: string, texts: readonly string[], options?: EncodeTextsOptions): Promise<Float32Array> {
    return scoreTexts(this.#model().embedder, query, texts, options);
  }

  async encodeDocuments(texts: readonly string[]): Promise<EncodedTexts> {
    const { embedder, split } = this.#model();
    return embedder.encode(texts, 'document', { split });
  }

  async vectorOf(id: string): Promise<Float32Array | undefined> {
    const document = await this.documents.get(id);
    return document && this.encode([fullText(document)], 'document');
  }

  async searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]> {
    return this.#model().index.search(vectors, options);
  }

  queryTerms(query: string): QueryTerms {
    return termsOf(this.#words, query);
  }

  snippet(query: string | QueryTerms, document: Document, options?: { length?: number }): Snippet {
    return snippetOf(this, query, document, options);
  }

  close(): Promise<void> {
    return this.#closing.close();
  }

  #model(): OpenVectors {
    if (this.#vectors) return this.#vectors;
    throw new NearmissError(`${this.name}: there is no model here that makes vectors`, {
      hint: howToGet(searchModes.get('dense'), HOW),
    });
  }
}

function modelOf({ embedder: { info } }: OpenVectors): { name: string; dimension: number } {
  return { name: info.name, dimension: info.dimension };
}
