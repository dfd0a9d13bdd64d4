import { LRUCache } from 'lru-cache';
import { countFacets, type FacetOptions, type Facets } from '../../search/facets/count-facets.js';
import type { DocumentFilter } from '../../search/filter/filter.js';
import { KnownFields, UnknownFieldError } from '../../search/filter/known-fields.js';
import { SharedPasses } from '../../search/filter/shared-passes.js';
import type { Searcher } from '../../search/searcher.js';
import { ApiError } from '../api-error.js';

/** Every write makes a version: the answers of a few are kept. */
const VERSIONS_KEPT = 4;
/** For facets that are kept, each with its fields and their values. */
const FACET_BYTES = 16 * 2 ** 20;
const FACETS_BYTES_EACH = 256 * 2 ** 10;

/** Knows the fields that documents have, of the newest versions, so that most questions about them cost nothing. */
export class FieldDesk {
  readonly #known = new LRUCache<string, KnownFields>({ max: VERSIONS_KEPT });
  readonly #facets = new SharedPasses<Facets>({ bytes: FACET_BYTES, resultBytes: () => FACETS_BYTES_EACH });

  /** Refuses a filter on a field that no document has, or groups by one, and says which was probably meant. */
  async check(
    { version, documents }: Searcher,
    { filter, groupBy, signal }: { filter?: DocumentFilter; groupBy?: string; signal?: AbortSignal },
  ): Promise<void> {
    if (filter === undefined && groupBy === undefined) return;
    const known = this.#known.get(version) ?? new KnownFields();
    this.#known.set(version, known);
    try {
      await known.check(documents, filter, signal);
      await known.checkGroups(documents, groupBy, signal);
    } catch (error) {
      if (!(error instanceof UnknownFieldError)) throw error;
      throw new ApiError(400, 'bad_request', error.message, { hint: error.hint });
    }
  }

  facets({ version, documents }: Searcher, options: FacetOptions): Promise<Facets> {
    const { filter, values } = options;
    const count = (signal: AbortSignal | undefined) => countFacets(documents, { filter, values, signal });
    return this.#facets.get([version, filter, values], count, options.signal);
  }
}
