import { createHash } from 'node:crypto';
import type { CascadeRetriever } from '../retrievers/cascade-retriever.js';
import type { HybridOptions } from '../retrievers/hybrid-retriever.js';
import type { SearcherParts } from './opened-searcher.js';

/** Stands for model, index and collection: what weights are tuned for. */
export function indexVersion({ store, words, vectors }: SearcherParts): string {
  return digest([
    store?.content,
    words?.index.meta.files,
    vectors && [vectors.embedder.info.fingerprint, vectors.fingerprint],
  ]);
}

/** Stands for all that decides what is found: the index, how its parts are fused, and what reranks which of its hits. */
export function searcherVersion(
  index: string,
  { fusion, cascade }: { fusion?: HybridOptions; cascade?: CascadeRetriever },
): string {
  return fusion || cascade ? digest([index, fusion, cascade?.settings]) : index;
}

function digest(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 12);
}
