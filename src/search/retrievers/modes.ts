import { NearmissError } from '../../base/errors.js';
import { Registry } from '../../base/registry.js';
import { suggest } from '../../base/suggest.js';
import { bm25 } from './bm25.js';
import { cascade } from './cascade.js';
import { dense } from './dense.js';
import { hybrid } from './hybrid.js';
import type { Mode } from './mode.js';
import type { SearchMode } from './retriever.js';

/**
 * The ways to search, in the order in which they are shown. Every searcher that is opened after one was registered has
 * it, where it is possible.
 */
export const searchModes = new Registry<Mode>('search mode', [bm25, dense, hybrid, cascade]);

/** The modes that find documents by themselves, which is what a cascade needs. */
export function firstModeNames(): SearchMode[] {
  return searchModes.kinds.filter(({ reranks }) => !reranks).map(({ name }) => name);
}

/** Refuses a mode that cannot be what a cascade reranks. */
export function firstModeNamed(name: SearchMode): Mode {
  const mode = searchModes.get(name);
  if (!mode.reranks) return mode;
  throw new NearmissError(`the mode "${name}" reranks, so it cannot find what is reranked`, {
    hint: `choose among ${firstModeNames().join(', ')}`,
  });
}

/** Says what is expected where something else was got, with what was probably meant. */
export function expectedMode(got: unknown, known: readonly SearchMode[]): string {
  const meant = suggest(String(got), known);
  return `expected a mode among ${known.join(', ')}${meant ? ` (did you mean "${meant}"?)` : ''}`;
}

/** How to come by what a mode needs, e.g. `search a run, or give --model`. */
export function howToGet({ needs }: Mode, say: { run: string; give: string }): string {
  return `${needs.ofRuns ? `${say.run}, or ` : ''}${say.give} ${needs.flags.join(' and ')}`;
}
