import type { Mode } from '../retrievers/mode.js';
import { firstModeNamed, firstModeNames, searchModes } from '../retrievers/modes.js';
import type { SearchMode } from '../retrievers/retriever.js';
import type { OpenSearcherOptions } from '../searcher.js';

/** The modes to open where it is possible; what a mode is made of comes before it. */
export function wantedModes({ modes = searchModes.names, rerankFirst }: OpenSearcherOptions): Mode[] {
  const wanted = new Set<Mode>();
  const want = (mode: Mode): void => {
    const first = rerankFirst === undefined ? firstModeNames() : [firstModeNamed(rerankFirst).name];
    for (const name of (mode.reranks ? first : mode.components) ?? []) want(searchModes.get(name));
    wanted.add(mode);
  };
  for (const name of modes) want(searchModes.get(name));
  return [...wanted];
}

/** The modes that were asked for by name; what finds a cascade's candidates comes before it. */
export function requiredModes({ modes, rerankFirst }: OpenSearcherOptions): readonly SearchMode[] {
  const reranks = modes === undefined || modes.some((name) => searchModes.get(name).reranks);
  return [...(reranks && rerankFirst !== undefined ? [rerankFirst] : []), ...(modes ?? [])];
}
