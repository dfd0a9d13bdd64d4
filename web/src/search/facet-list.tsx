import type { FacetsAnswer } from '../api.js';
import { type Scalar, showValue } from './filter-conditions.js';
import { isOfPlace } from './place.js';

const SHOWN_VALUES = 8;

/** Fields with their most frequent values; a click filters by one. */
export function FacetList({
  facets,
  onFilter,
}: {
  facets: FacetsAnswer;
  onFilter: (field: string, value: Scalar) => void;
}) {
  // A value that every document has its own of (an address, a number) is none to choose; a range still tells something.
  const names = facets.fields.map(({ field }) => field);
  const fields = facets.fields.filter(
    (facet) => (isShared(facet) || facet.range !== undefined) && !isOfPlace(facet.field, names),
  );
  if (fields.length === 0) return null;
  return (
    <div class="facet-list">
      {fields.map(({ field, values: all, more, range }) => {
        const values = isShared({ values: all }) ? all : [];
        return (
          <fieldset key={field} class="facet">
            <legend class="visually-hidden">Values of {field}</legend>
            <b aria-hidden="true">{field}</b>
            {range && range.min < range.max && (
              <span class="soft small">
                {range.min} to {range.max}
              </span>
            )}
            {values.slice(0, SHOWN_VALUES).map(({ value, count }) => (
              <button key={String(value)} type="button" class="chip" onClick={() => onFilter(field, value)}>
                {showValue(value)} <span class="facet-count">{count.toLocaleString('en')}</span>
              </button>
            ))}
            {values.length > 0 && (more || values.length > SHOWN_VALUES) && (
              <span class="soft small">and others</span>
            )}
          </fieldset>
        );
      })}
    </div>
  );
}

function isShared({ values }: Pick<FacetsAnswer['fields'][number], 'values'>): boolean {
  return values[0]?.count > 1;
}
