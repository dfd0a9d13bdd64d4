import type { OpenMode } from './retrievers/open-mode.js';
import type { SearchMode } from './retrievers/retriever.js';
import type { Searcher } from './searcher.js';

/** A searcher whose modes know how to go on when documents on top of it change. */
export interface BaseSearcher extends Searcher {
  readonly opened: ReadonlyMap<SearchMode, OpenMode>;
}
