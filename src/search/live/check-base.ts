import { NearmissError } from '../../base/errors.js';
import type { Searcher } from '../searcher.js';

/** Documents can be replaced and removed only where it is known which ones there are. */
export function checkBase(base: Searcher): void {
  if (base.documents.count > 0) return;
  throw new NearmissError(`${base.name}: without its collection, documents cannot be changed`, {
    hint: 'name the collection with --data',
  });
}
