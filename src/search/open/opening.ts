import type { Closing } from '../../base/closing.js';
import type { FilteredDocuments } from '../filter/filtered-documents.js';
import type { OpenMode } from '../retrievers/open-mode.js';
import type { SearchMode } from '../retrievers/retriever.js';
import type { OpenSearcherOptions } from '../searcher.js';
import type { ComputingParts } from './computing-parts.js';
import type { Preparation } from './prepare.js';
import type { Target } from './target.js';

/** What a mode is opened with. */
export interface Opening {
  readonly target: Target;
  readonly options: OpenSearcherOptions;
  readonly computing: ComputingParts;
  /** The collection, where it is at hand. */
  readonly preparation: Preparation | undefined;
  readonly filters: FilteredDocuments;
  /** Told of what is opened, so that it is closed with the searcher. */
  readonly closing: Closing;
  /** The modes opened so far: all that a mode is made of come before it. */
  readonly opened: ReadonlyMap<SearchMode, OpenMode>;
}
