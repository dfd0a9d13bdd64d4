import { createHash } from 'node:crypto';
import type { SearcherParts } from './opened-searcher.js';

/** Stands for model, index and collection: what weights are tuned for. */
export function indexVersion({ store, words, vectors }: SearcherParts): string {
  return digest([
    store?.content,
    words?.index.meta.files,
    vectors && [vectors.embedder.info.fingerprint, vectors.fingerprint],
  ]);
}

function digest(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex').slice(0, 12);
}
