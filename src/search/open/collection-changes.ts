import type { IdTable } from '../../data/id-table.js';
import type { DocumentIndex } from '../../index/vectors/document-index.js';
import type { StoredDocuments } from '../documents/stored-documents.js';
import type { AllowedDocuments } from '../filter/filtered-documents.js';
import type { Preparation } from './prepare.js';
import type { Target } from './target.js';

/**
 * Says where a collection is not the one that was encoded. Where documents are gone since, those that are still there:
 * the others must not be found.
 */
export function presentDocuments(
  { ids }: DocumentIndex,
  { data, model, split }: Target,
  preparation: Preparation | undefined,
): AllowedDocuments | undefined {
  const changes = ids && preparation && collectionChanges(ids, preparation.store);
  if (!changes) return undefined;
  const { kept, gone, added } = changes;
  const firstOnly = split && split.maxPieces > 1 ? ', the first piece of each document' : '';
  preparation.onNote?.(
    `the collection has changed since it was encoded (documents gone: ${gone}, new: ${added}); dense search finds neither; ` +
      `to encode it as it is now${firstOnly}: nearmiss search ${data} --model ${model}`,
  );
  return gone > 0 ? { count: kept, has: (id) => preparation.store.has(id) } : undefined;
}

/** Undefined where the index has the collection's documents: quick then, since every opening asks. */
function collectionChanges(
  indexed: IdTable,
  store: StoredDocuments,
): { kept: number; gone: number; added: number } | undefined {
  if (indexed.equals(store.idTable)) return undefined;
  let kept = 0;
  for (let i = 0; i < indexed.size; i++) if (store.has(indexed.idAt(i))) kept++;
  const changes = { kept, gone: indexed.size - kept, added: store.count - kept };
  // In another order they are the same documents.
  return changes.gone + changes.added > 0 ? changes : undefined;
}
