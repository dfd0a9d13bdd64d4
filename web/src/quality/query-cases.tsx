import { useMemo, useState } from 'preact/hooks';
import { Button, Tabs } from '../components/index.js';
import { type Column, Table } from '../components/table.js';
import { signed } from './measures-table.js';
import type { CaseMeasure, QualityQuery } from './quality-api.js';

export interface QueryCasesProps {
  queries: readonly QualityQuery[];
  measure: CaseMeasure;
  current: string | undefined;
  onPick: (id: string) => void;
}

const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'wins', label: 'Wins' },
  { value: 'ties', label: 'Ties' },
  { value: 'losses', label: 'Losses' },
] as const;

type Kind = (typeof KINDS)[number]['value'];

const AT_ONCE = 100;

/** Every query, those with the largest difference first. */
export function QueryCases({ queries, measure, current, onPick }: QueryCasesProps) {
  const [kind, setKind] = useState<Kind>('all');
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(AT_ONCE);
  const difference = ({ values }: QualityQuery) => values[measure].model - values[measure].bm25;
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return queries
      .filter((query) => kind === 'all' || kindOf(difference(query)) === kind)
      .filter((query) => words.every((word) => `${query.id} ${query.text}`.toLowerCase().includes(word)))
      .sort((a, b) => Math.abs(difference(b)) - Math.abs(difference(a)));
  }, [queries, measure, kind, text]);
  const columns: Column<QualityQuery>[] = [
    {
      name: 'Query',
      cell: (query) => (
        <button
          type="button"
          class="case-button"
          aria-pressed={query.id === current}
          onClick={() => onPick(query.id)}
        >
          {query.text || query.id}
        </button>
      ),
      sortBy: (query) => query.text,
    },
    {
      name: 'BM25',
      numeric: true,
      cell: ({ values }) => values[measure].bm25.toFixed(3),
      sortBy: ({ values }) => values[measure].bm25,
    },
    {
      name: 'Model',
      numeric: true,
      cell: ({ values }) => values[measure].model.toFixed(3),
      sortBy: ({ values }) => values[measure].model,
    },
    {
      name: 'Difference',
      numeric: true,
      cell: (query) => {
        const value = difference(query);
        const sign = { wins: 'difference-good', ties: 'soft', losses: 'difference-bad' }[kindOf(value)];
        return <span class={sign}>{signed(value, 3)}</span>;
      },
      sortBy: difference,
    },
  ];
  return (
    <section class="panel cases" aria-label="Queries">
      <div class="study-controls">
        <Tabs label="Which queries" tabs={KINDS} selected={kind} onSelect={setKind} />
        <label class="field">
          <span class="visually-hidden">Find a query</span>
          <input
            type="search"
            value={text}
            placeholder="Find a query"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <span class="soft small" aria-live="polite">
          {found.length.toLocaleString('en')} queries
        </span>
      </div>
      <Table
        caption={`Queries by ${measure}`}
        captionHidden
        columns={columns}
        rows={found.slice(0, limit)}
        rowKey={({ id }) => id}
      />
      {found.length > limit && <Button onClick={() => setLimit(limit + AT_ONCE)}>Show more</Button>}
    </section>
  );
}

function kindOf(difference: number): 'wins' | 'ties' | 'losses' {
  return difference > 0 ? 'wins' : difference < 0 ? 'losses' : 'ties';
}
