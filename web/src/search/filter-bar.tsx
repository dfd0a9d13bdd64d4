import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../components/index.js';
import {
  type Condition,
  describeCondition,
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
  /** Fields of the hits on screen, with their values. */
  fields: ReadonlyMap<string, readonly Scalar[]>;
  onChange: (filter: string) => void;
}

/** The conditions that documents have to meet, each with a button that takes it away, and a form for one more. */
export function FilterBar({ filter, fields, onChange }: FilterBarProps) {
  const [adding, setAdding] = useState(false);
  const conditions = toConditions(filter);
  const without = (nth: number) => onChange(toFilter(conditions!.filter((_, other) => other !== nth)));
  return (
    <div class="filter-bar">
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
        <Button kind="quiet" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {adding ? 'Close' : '+ Filter'}
        </Button>
      )}
      {adding && conditions && (
        <ConditionForm
          fields={fields}
          onAdd={(condition) => {
            setAdding(false);
            onChange(toFilter([...conditions, condition]));
          }}
        />
      )}
    </div>
  );
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
  fields: FilterBarProps['fields'];
  onAdd: (condition: Condition) => void;
}

function ConditionForm({ fields, onAdd }: ConditionFormProps) {
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
