import { searchModes } from '../search/retrievers/modes.js';
import type { SearchMode } from '../search/retrievers/retriever.js';
import type { Searcher } from '../search/searcher.js';
import { ApiError } from './api-error.js';

/** Whether a version with more ways to search will take over by itself. */
interface Completing {
  readonly isCompleting: boolean;
}

const ON_THEIR_WAY =
  'vectors are being made: GET /v1/status says how far they are, and this mode is there by itself when they are';

/** Refuses a way to search that this index does not have. */
export function requireMode(searcher: Searcher, mode: SearchMode, collection?: Completing): void {
  if (searcher.modes.includes(mode)) return;
  if (collection?.isCompleting && !searchModes.get(mode).reranks) {
    throw new ApiError(
      422,
      'unavailable',
      `the mode "${mode}" is not there yet, only ${searcher.modes.join(', ')}`,
      {
        hint: ON_THEIR_WAY,
      },
    );
  }
  throw new ApiError(
    422,
    'unavailable',
    `the mode "${mode}" is not available here, only ${searcher.modes.join(', ')}`,
    { hint: whatItNeeds(mode) },
  );
}

/** Refuses what needs vectors where there is no model. */
export function requireModel(
  searcher: Searcher,
  collection?: Completing,
): { name: string; dimension: number } {
  if (searcher.model !== undefined) return searcher.model;
  throw new ApiError(422, 'unavailable', 'there is no model here that makes vectors', {
    hint: collection?.isCompleting ? ON_THEIR_WAY : whatItNeeds('dense'),
  });
}

function whatItNeeds(name: SearchMode): string {
  return `it needs ${searchModes.get(name).needs.what}, and the server was started without`;
}
