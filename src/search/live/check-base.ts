import { NearmissError } from '../../base/errors.js';
import type { BaseSearcher } from '../base-searcher.js';
import type { Searcher } from '../searcher.js';

/**
 * Documents can be replaced and removed only where it is known which ones there are, and where every mode can be
 * searched with those that were added.
 */
export function checkBase(base: Searcher): BaseSearcher {
  if (!isBase(base)) {
    throw new NearmissError(`${base.name}: on top of this searcher, documents cannot be changed`, {
      hint: 'open it with openSearcher',
    });
  }
  if (base.documents.count > 0) return base;
  throw new NearmissError(`${base.name}: without its collection, documents cannot be changed`, {
    hint: 'name the collection with --data',
  });
}

function isBase(searcher: Searcher): searcher is BaseSearcher {
  return 'opened' in searcher;
}
