import type { Document } from '../../data/index.js';
import type { EncodedTexts } from '../../model/encoder/encoded-texts.js';
import type { Hit, Retriever, SearchMode } from '../retrievers/retriever.js';
import type { CascadeChoice, EncodeTextsOptions, Searcher, SearchVectorsOptions } from '../searcher.js';
import type { QueryTerms } from '../snippet/snippet.js';
import { checkBase } from './check-base.js';
import { checkDocuments, checkIds } from './check-writes.js';
import { encodeDocuments } from './encode-documents.js';
import { LeasedSearcher } from './leased-searcher.js';
import type {
  ExportCollectionOptions,
  ExportResult,
  LiveSearcher,
  PendingWrites,
  RemoveResult,
  UpsertResult,
} from './live-searcher.js';
import type { LiveStore } from './live-store.js';
import type { LiveEntry } from './log/log-record.js';
import { modelKeyLike } from './model-key.js';
import { CurrentDocuments } from './overlay/current-documents.js';
import { Layer } from './overlay/layer.js';
import type { LiveSnapshot } from './overlay/live-snapshot.js';
import { OverBase } from './overlay/over-base.js';

/** Searches the newest snapshot and writes to the store. */
export class OpenedLiveSearcher extends OverBase implements LiveSearcher {
  readonly documents = new CurrentDocuments(() => this.#store.snapshot());
  readonly #store: LiveStore;
  readonly #unlock: () => Promise<void>;
  #closing: Promise<void> | undefined;

  /** @param unlock lets go of the state folder */
  constructor(store: LiveStore, unlock: () => Promise<void>) {
    super();
    this.#store = store;
    this.#unlock = unlock;
  }

  get version(): string {
    return this.#store.layer.version;
  }

  get pending(): PendingWrites {
    return this.#store.pending;
  }

  protected get base(): Searcher {
    return this.#store.layer.base.searcher;
  }

  snapshot(): LiveSnapshot {
    return this.#store.snapshot();
  }

  retriever(mode: SearchMode, choice?: CascadeChoice): Retriever {
    // Says at once where the mode is not possible.
    this.base.retriever(mode, choice);
    return {
      mode,
      search: (queries, options) =>
        this.#onSnapshot((snapshot) => snapshot.retriever(mode, choice).search(queries, options)),
      close: async () => undefined,
    };
  }

  encode(
    texts: readonly string[],
    use: 'query' | 'document',
    options?: EncodeTextsOptions,
  ): Promise<Float32Array> {
    return this.#onSnapshot((snapshot) => snapshot.encode(texts, use, options));
  }

  score(query: string, texts: readonly string[], options?: EncodeTextsOptions): Promise<Float32Array> {
    return this.#onSnapshot((snapshot) => snapshot.score(query, texts, options));
  }

  encodeDocuments(texts: readonly string[]): Promise<EncodedTexts> {
    return this.#onSnapshot((snapshot) => snapshot.encodeDocuments(texts));
  }

  vectorOf(id: string): Promise<Float32Array | undefined> {
    return this.#onSnapshot((snapshot) => snapshot.vectorOf(id));
  }

  searchVectors(vectors: Float32Array, options: SearchVectorsOptions): Promise<Hit[][]> {
    return this.#onSnapshot((snapshot) => snapshot.searchVectors(vectors, options));
  }

  queryTerms(query: string): QueryTerms {
    const snapshot = this.snapshot();
    const terms = snapshot.queryTerms(query);
    void snapshot.close();
    return terms;
  }

  async upsert(documents: readonly Document[]): Promise<UpsertResult> {
    const checked = checkDocuments(documents);
    if (checked.length === 0) return { version: this.version, added: 0, replaced: 0 };
    const { version, existed } = await this.#store.put(this.#prepare(checked));
    return { version, added: checked.length - existed, replaced: existed };
  }

  async remove(ids: readonly string[]): Promise<RemoveResult> {
    const { version, existed } = await this.#store.remove(checkIds(ids));
    return { version, removed: existed };
  }

  async swap(newer: Searcher): Promise<void> {
    const base = checkBase(newer);
    const old = this.#store.layer;
    const model = await modelKeyLike(base, old.model);
    await this.#store.replaceLayer(() => new Layer(new LeasedSearcher(base), model));
    // The next start must not find vectors of the old model only.
    if (model !== old.model) await this.#store.compact();
    await old.base.retire();
  }

  exportCollection(folder: string, options: ExportCollectionOptions = {}): Promise<ExportResult> {
    return this.#onSnapshot(async (snapshot) => {
      const { exportCollection } = await import('./export-collection.js');
      return exportCollection(snapshot, folder, options);
    });
  }

  async forget(sequence: number): Promise<void> {
    const next = (): Layer => new Layer(this.#store.layer.base, this.#store.layer.model);
    await this.#store.replaceLayer(next, { forget: sequence });
    await this.#store.compact();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#store.close();
    await this.#unlock();
    await this.#store.layer.base.retire();
  }

  #prepare(documents: readonly Document[]): Promise<{ layer: Layer; entries: LiveEntry[] }> {
    const { layer } = this.#store;
    // The write gets its number when its turn comes.
    const entries = documents.map((document): LiveEntry => ({ id: document.id, sequence: 0, document }));
    return this.#onSnapshot(async (snapshot) => ({
      layer,
      entries: await encodeDocuments(snapshot, entries),
    }));
  }

  async #onSnapshot<T>(work: (snapshot: LiveSnapshot) => Promise<T>): Promise<T> {
    const snapshot = this.snapshot();
    try {
      return await work(snapshot);
    } finally {
      await snapshot.close();
    }
  }
}
