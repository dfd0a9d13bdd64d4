import { createHash } from 'node:crypto';
import type { OpenMode } from '../retrievers/open-mode.js';
import type { SearchMode } from '../retrievers/retriever.js';

type Store = { content: string } | undefined;
type OpenModes = ReadonlyMap<SearchMode, OpenMode>;

/** Stands for model, index and collection: what weights are tuned for. Kept with them, so it must not change. */
export function indexVersion(store: Store, opened: OpenModes): string {
  return digest([store?.content, opened.get('bm25')?.fingerprint, opened.get('dense')?.fingerprint]);
}

/** Stands for all that decides what is found: the collection, and whatever each mode goes by. */
export function searcherVersion(store: Store, opened: OpenModes): string {
  return digest([store?.content, [...opened].map(([name, { fingerprint }]) => [name, fingerprint])]);
}

function digest(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 12);
}
