import type { OpenMode } from '../retrievers/open-mode.js';
import type { SearchMode } from '../retrievers/retriever.js';

/** The mode to search in where none is named. */
export function defaultMode(opened: ReadonlyMap<SearchMode, OpenMode>): SearchMode | undefined {
  let best: SearchMode | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const [name, { preference }] of opened) {
    if (preference !== undefined && preference > most) [best, most] = [name, preference];
  }
  return best;
}
