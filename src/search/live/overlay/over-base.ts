import type { Reranker } from '../../retrievers/reranker.js';
import type { SearchMode } from '../../retrievers/retriever.js';
import type { Searcher } from '../../searcher.js';

/** What documents added and removed do not change: it is as the base has it. */
export abstract class OverBase {
  protected abstract get base(): Searcher;

  get name(): string {
    return this.base.name;
  }

  get modes(): readonly SearchMode[] {
    return this.base.modes;
  }

  get defaultMode(): SearchMode {
    return this.base.defaultMode;
  }

  get model(): Searcher['model'] {
    return this.base.model;
  }

  get reranker(): Reranker | undefined {
    return this.base.reranker;
  }
}
