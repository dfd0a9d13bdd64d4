import type { BaseSearcher } from '../../base-searcher.js';
import type { LiveMode } from '../../retrievers/open-mode.js';
import type { SearchMode } from '../../retrievers/retriever.js';
import type { LeasedSearcher } from '../leased-searcher.js';
import { Overlay, type OverlayState } from './overlay.js';

/** A base and the writes on top of it, ready to be searched. */
export class Layer {
  readonly base: LeasedSearcher<BaseSearcher>;
  /** Which model makes the vectors; undefined where there is none. */
  readonly model: string | undefined;
  readonly modes: ReadonlyMap<SearchMode, LiveMode>;
  readonly overlay: Overlay;

  constructor(base: LeasedSearcher<BaseSearcher>, model: string | undefined) {
    this.base = base;
    this.model = model;
    const modes = new Map([...base.searcher.opened].map(([name, mode]) => [name, mode.live()]));
    this.modes = modes;
    this.overlay = new Overlay({
      inBase: (id) => base.searcher.documents.has(id),
      onDocument: (slot, document) => {
        for (const mode of modes.values()) mode.add?.(slot, document);
      },
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

  state(): OverlayState {
    return this.overlay.state();
  }
}
