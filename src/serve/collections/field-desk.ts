import { LRUCache } from 'lru-cache';
import { countFacets, type FacetOptions, type Facets } from '../../search/facets/count-facets.js';
import type { DocumentFilter } from '../../search/filter/filter.js';
import { KnownFields, UnknownFieldError } from '../../search/filter/known-fields.js';
import type { Searcher } from '../../search/searcher.js';
import { ApiError } from '../api-error.js';

/** Every write makes a version: the answers of a few are kept. */
const VERSIONS_KEPT = 4;
const FACETS_KEPT = 64;

/** Knows the fields that documents have, of the newest versions, so that most questions about them cost nothing. */
export class FieldDesk {
  readonly #known = new LRUCache<string, KnownFields>({ max: VERSIONS_KEPT });
  readonly #facets = new LRUCache<string, Promise<Facets>>({ max: FACETS_KEPT });

  /** Refuses a filter on a field that no document has, and says which was probably meant. */
  async check({ version, documents }: Searcher, filter: DocumentFilter | undefined): Promise<void> {
    if (filter === undefined) return;
    const known = this.#known.get(version) ?? new KnownFields();
    this.#known.set(version, known);
    try {
      await known.check(documents, filter);
    } catch (error) {
      if (!(error instanceof UnknownFieldError)) throw error;
      throw new ApiError(400, 'bad_request', error.message, { hint: error.hint });
    }
  }

  facets({ version, documents }: Searcher, options: FacetOptions): Promise<Facets> {
    const key = JSON.stringify([version, options.filter, options.values]);
    const counting = this.#facets.get(key) ?? countFacets(documents, options);
    this.#facets.set(key, counting);
    counting.catch(() => this.#facets.delete(key));
    return counting;
  }
}
