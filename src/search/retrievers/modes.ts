import { NearmissError } from '../../base/errors.js';
import { suggest } from '../../base/suggest.js';
import { bm25 } from './bm25.js';
import { cascade } from './cascade.js';
import { dense } from './dense.js';
import { hybrid } from './hybrid.js';
import type { Mode } from './mode.js';
import type { SearchMode } from './retriever.js';

const modes = new Map<SearchMode, Mode>();
for (const mode of [bm25, dense, hybrid, cascade]) registerMode(mode);

/** Adds a way to search, after which every searcher that is opened has it where it is possible. */
export function registerMode(mode: Mode): void {
  if (modes.has(mode.name)) {
    throw new NearmissError(`there is a search mode "${mode.name}" already`, { hint: 'choose another name' });
  }
  modes.set(mode.name, mode);
}

/** All modes, in the order in which they are shown. */
export function modeNames(): SearchMode[] {
  return [...modes.keys()];
}

/** The modes that find documents by themselves, which is what a cascade needs. */
export function firstModeNames(): SearchMode[] {
  return modeNames().filter((name) => !modes.get(name)?.reranks);
}

/** Refuses a mode that there is not. */
export function modeNamed(name: SearchMode): Mode {
  return modes.get(name) ?? refuse(name, modeNames());
}

/** Refuses a mode that cannot be what a cascade reranks. */
export function firstModeNamed(name: SearchMode): Mode {
  return firstModeNames().includes(name) ? modeNamed(name) : refuse(name, firstModeNames());
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

function refuse(name: SearchMode, known: readonly SearchMode[]): never {
  throw new NearmissError(`${expectedMode(name, known)}, got "${name}"`);
}
