import type { SearchMode } from '../retrievers/retriever.js';
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

/** The modes that must be possible; what finds a cascade's candidates comes before it. */
export function requiredModes({ modes, rerankFirst }: OpenSearcherOptions): readonly SearchMode[] {
  const reranks = modes === undefined || modes.includes('cascade');
  return [...(reranks && rerankFirst ? [rerankFirst] : []), ...(modes ?? [])];
}

function needs({ modes, rerankFirst }: OpenSearcherOptions, part: readonly SearchMode[]): boolean {
  const reads = (mode: SearchMode): SearchMode => (mode === 'cascade' ? (rerankFirst ?? mode) : mode);
  return modes === undefined || modes.some((mode) => part.includes(reads(mode)));
}
