import type { SearchMode } from '../search/retrievers/retriever.js';
import type { Searcher } from '../search/searcher.js';
import { ApiError } from './api-error.js';

const NEEDS: Record<SearchMode, string> = {
  bm25: 'a collection: start the server with --data',
  dense: 'a model: serve a run, or start the server with --model',
  hybrid: 'a collection and a model: serve a run, or start the server with --data and --model',
  cascade: 'a cross-encoder: start the server with --reranker',
};

/** Refuses a way to search that this index does not have. */
export function requireMode(searcher: Searcher, mode: SearchMode): void {
  if (searcher.modes.includes(mode)) return;
  throw new ApiError(
    422,
    'unavailable',
    `the mode "${mode}" is not available here, only ${searcher.modes.join(', ')}`,
    { hint: `it needs ${NEEDS[mode]}` },
  );
}

/** Refuses what needs vectors where there is no model. */
export function requireModel(searcher: Searcher): { name: string; dimension: number } {
  if (searcher.model !== undefined) return searcher.model;
  throw new ApiError(422, 'unavailable', 'there is no model here that makes vectors', {
    hint: `it needs ${NEEDS.dense}`,
  });
}
