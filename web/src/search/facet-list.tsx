import type { FacetsAnswer } from '../api.js';
import { type Scalar, showValue } from './filter-conditions.js';

const SHOWN_VALUES = 8;

/** Fields with their most frequent values; a click filters by one. */
export function FacetList({
  facets,
  onFilter,
}: {
  facets: FacetsAnswer;
  onFilter: (field: string, value: Scalar) => void;
}) {
  // A value that every document has its own of (an address, a number) is none to choose.
  const fields = facets.fields.filter(({ values, documents }) => values[0]?.count > 1 || documents <= 2);
  if (fields.length === 0) return null;
  return (
    <div class="facet-list">
      {fields.map(({ field, values, more, range }) => (
        <div key={field} class="facet" role="group" aria-label={`Values of ${field}`}>
          <b>{field}</b>
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
          {(more || values.length > SHOWN_VALUES) && <span class="soft small">and others</span>}
        </div>
      ))}
    </div>
  );
}
