import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api, type FacetsAnswer } from '../api.js';
import { Button, Spinner } from '../components/index.js';
import { useRequest } from '../use-request.js';
import { FacetList } from './facet-list.js';
import {
  type Condition,
  describeCondition,
  fieldsOf,
  OPERATORS,
  type Operator,
  parseValue,
  type Scalar,
  toConditions,
  toFilter,
} from './filter-conditions.js';

export interface FilterBarProps {
  /** JSON, or empty. */
  filter: string;
  /** Another one where there may be other documents. */
  version: string;
  onChange: (filter: string) => void;
}

/** The conditions that documents have to meet, each with a button that takes it away, and a form for one more. */
export function FilterBar({ filter, version, onChange }: FilterBarProps) {
  const [adding, setAdding] = useState(false);
  const facets = useRequest(adding ? JSON.stringify([version, filter]) : undefined, (signal) =>
    // Where the filter itself is refused, all documents are counted.
    api.facets(filter, { signal }).catch(() => api.facets('', { signal })),
  );
  const bar = useRef<HTMLDivElement>(null);
  const conditions = toConditions(filter);
  // What the keyboard was at is gone with a condition that is taken away or added: it goes on at the button for more.
  const seen = useRef(filter);
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (seen.current !== filter && isLost) focusToggle(bar.current);
    seen.current = filter;
  }, [filter]);
  // As soon as the form can be seen: after the next frame, who is quick would press Escape in vain.
  useLayoutEffect(() => {
    if (!adding) return;
    const close = ({ key, target }: KeyboardEvent) => {
      if (key !== 'Escape' || !bar.current?.contains(target as Node)) return;
      setAdding(false);
      focusToggle(bar.current);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [adding]);
  const without = (nth: number) => onChange(toFilter(conditions!.filter((_, other) => other !== nth)));
  return (
    <div class="filter-bar" ref={bar}>
      {conditions ? (
        conditions.map((condition, nth) => (
          <Chip
            key={describeCondition(condition)}
            text={describeCondition(condition)}
            onRemove={() => without(nth)}
          />
        ))
      ) : (
        <Chip text={filter} onRemove={() => onChange('')} />
      )}
      {conditions && (
        <Button kind="quiet" class="filter-toggle" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {adding ? 'Close' : '+ Filter'}
        </Button>
      )}
      {adding && conditions && (
        <div class="filter-form">
          {facets.loading && !facets.data && <Spinner label="Counting what there is to filter by" />}
          {facets.data && (
            <FacetList
              facets={facets.data}
              onFilter={(field, value) =>
                onChange(toFilter([...conditions, { field, operator: '$eq', value }]))
              }
            />
          )}
          <ConditionForm
            facets={facets.data}
            onAdd={(condition) => {
              setAdding(false);
              onChange(toFilter([...conditions, condition]));
            }}
          />
        </div>
      )}
    </div>
  );
}

function focusToggle(bar: HTMLElement | null): void {
  bar?.querySelector<HTMLElement>('.filter-toggle')?.focus();
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span class="chip chip-filter">
      {text}
      <button type="button" aria-label={`Remove the filter ${text}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}

interface ConditionFormProps {
  facets: FacetsAnswer | undefined;
  onAdd: (condition: Condition) => void;
}

function ConditionForm({ facets, onAdd }: ConditionFormProps) {
  const fields = facets ? fieldsOf(facets) : new Map<string, Scalar[]>();
  const [field, setField] = useState('');
  const [operator, setOperator] = useState<Operator>('$eq');
  const add = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('value') ?? '');
    const value = operator === '$exists' ? true : parseValue(typed, fields.get(field));
    onAdd({ field: field.trim(), operator, value });
  };
  return (
    <form class="condition-form" onSubmit={add}>
      <label class="field">
        Field
        <input
          required
          list="filter-fields"
          autocomplete="off"
          value={field}
          onInput={(event) => setField(event.currentTarget.value)}
        />
      </label>
      <datalist id="filter-fields">
        {[...fields.keys()].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <label class="field">
        Must be
        <select value={operator} onChange={(event) => setOperator(event.currentTarget.value as Operator)}>
          {Object.entries(OPERATORS).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {operator !== '$exists' && (
        <label class="field">
          Value
          <input required name="value" list="filter-values" autocomplete="off" />
        </label>
      )}
      <datalist id="filter-values">
        {(fields.get(field) ?? []).map((value) => (
          <option key={String(value)} value={String(value)} />
        ))}
      </datalist>
      <Button type="submit" kind="primary">
        Add
      </Button>
    </form>
  );
}
