import { searchModes } from '../search/retrievers/modes.js';
import type { SearchMode } from '../search/retrievers/retriever.js';
import type { Searcher } from '../search/searcher.js';
import { ApiError } from './api-error.js';

/** Refuses a way to search that this index does not have. */
export function requireMode(searcher: Searcher, mode: SearchMode): void {
  if (searcher.modes.includes(mode)) return;
  throw new ApiError(
    422,
    'unavailable',
    `the mode "${mode}" is not available here, only ${searcher.modes.join(', ')}`,
    { hint: whatItNeeds(mode) },
  );
}

/** Refuses what needs vectors where there is no model. */
export function requireModel(searcher: Searcher): { name: string; dimension: number } {
  if (searcher.model !== undefined) return searcher.model;
  throw new ApiError(422, 'unavailable', 'there is no model here that makes vectors', {
    hint: whatItNeeds('dense'),
  });
}

function whatItNeeds(name: SearchMode): string {
  return `it needs ${searchModes.get(name).needs.what}, and the server was started without`;
}
