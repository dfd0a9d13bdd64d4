import { NearmissError } from '../../../base/errors.js';
import type { Document } from '../../../data/index.js';
import { type Bm25Index, bm25 } from '../../../index/bm25/index.js';
import { Bm25Retriever } from '../../retrievers/bm25-retriever.js';
import { makeSnippet, type Snippet } from '../../snippet.js';
import type { LeasedSearcher } from '../leased-searcher.js';
import { LiveTerms } from './live-terms.js';
import { Overlay, type OverlayView } from './overlay.js';

/** A base and the writes on top of it, ready to be searched. */
export class Layer {
  readonly base: LeasedSearcher;
  /** Which model makes the vectors; undefined where there is none. */
  readonly model: string | undefined;
  /** Undefined where the base has no words. */
  readonly terms: LiveTerms | undefined;
  readonly overlay: Overlay;

  constructor(base: LeasedSearcher, model: string | undefined) {
    this.base = base;
    this.model = model;
    const index = bm25IndexOf(base);
    const terms = index && new LiveTerms(index, bm25());
    this.terms = terms;
    this.overlay = new Overlay({
      inBase: (id) => base.searcher.documents.has(id),
      onDocument: (slot, document) => terms?.add(slot, document),
    });
  }

  get version(): string {
    return `${this.base.searcher.version}+${this.overlay.sequence}`;
  }

  /** Whether there is a document now. */
  has(id: string): boolean {
    const entry = this.overlay.newest(id);
    return entry ? entry.document !== undefined : this.base.searcher.documents.has(id);
  }

  view(): OverlayView {
    return this.overlay.view();
  }

  /** As the base makes it, with the words that only added documents have. */
  snippet(
    query: string,
    document: Document,
    { view = this.view(), ...options }: { view?: OverlayView; length?: number } = {},
  ): Snippet {
    const { terms } = this;
    if (terms === undefined) return this.base.searcher.snippet(query, document, options);
    const { analyzer } = terms;
    return makeSnippet(document.text, { analyzer, terms: terms.weights(query, view), ...options });
  }
}

function bm25IndexOf({ searcher }: LeasedSearcher): Bm25Index | undefined {
  if (!searcher.modes.includes('bm25')) return undefined;
  const retriever = searcher.retriever('bm25');
  if (retriever instanceof Bm25Retriever) return retriever.index;
  throw new NearmissError(`${searcher.name}: its word search has no index whose statistics could be shared`, {
    hint: 'open it with openSearcher',
  });
}
