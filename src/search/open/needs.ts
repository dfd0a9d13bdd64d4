import type { SearchMode } from '../retriever.js';
import type { OpenSearcherOptions } from '../searcher.js';

const WITH_WORDS: readonly SearchMode[] = ['bm25', 'hybrid', 'cascade'];
const WITH_VECTORS: readonly SearchMode[] = ['dense', 'hybrid', 'cascade'];

/** Whether one of the modes that are wanted searches by words. */
export function needsWords(options: OpenSearcherOptions): boolean {
  return needs(options, WITH_WORDS);
}

/** Whether one of the modes that are wanted searches by vectors. */
export function needsVectors(options: OpenSearcherOptions): boolean {
  return needs(options, WITH_VECTORS);
}

function needs({ modes }: OpenSearcherOptions, part: readonly SearchMode[]): boolean {
  return modes === undefined || modes.some((mode) => part.includes(mode));
}
