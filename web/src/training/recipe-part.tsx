import { useState } from 'preact/hooks';
import { Coded } from '../components/coded.js';
import { type Column, Table } from '../components/table.js';
import { formatCount, formatValue } from './format.js';
import type { RunDetails } from './runs-api.js';

/** Names and descriptions make no run another one. */
const FOR_PEOPLE = new Set(['name', 'description']);

interface Row {
  path: string;
  /** One for each run. */
  values: { text: string; origin?: string }[];
}

/** Every setting with its origin; of several runs those that differ. */
export function RecipePart({ runs }: { runs: readonly RunDetails[] }) {
  const [all, setAll] = useState(false);
  const [filter, setFilter] = useState('');
  const isComparison = runs.length > 1;
  const rows = settingsOf(runs).filter(
    (row) => row.path.toLowerCase().includes(filter.toLowerCase()) && (!isComparison || all || differs(row)),
  );
  const columns: Column<Row>[] = [
    { name: 'Setting', cell: ({ path }) => <code>{path}</code>, sortBy: ({ path }) => path },
    ...(isComparison
      ? runs.map((run, nth) => valueColumn(run.name, nth))
      : [valueColumn('Value', 0), ...(hasOrigins(runs[0]) ? [originColumn] : [])]),
  ];
  return (
    <div class="stack">
      {!isComparison && <About run={runs[0]} />}
      <div class="chart-controls">
        <label>
          Find a setting
          <input type="search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
        </label>
        {isComparison && (
          <label>
            <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
            Also what they share
          </label>
        )}
      </div>
      {rows.length > 0 ? (
        <div class="panel">
          <Table
            caption={isComparison ? `Settings${all ? '' : ' in which the runs differ'}` : 'Settings'}
            columns={columns}
            rows={rows}
            rowKey={({ path }) => path}
          />
        </div>
      ) : (
        <p class="soft">
          {filter
            ? `No setting has “${filter}” in its name.`
            : 'These runs have the same settings: only chance differs.'}
        </p>
      )}
    </div>
  );
}

function About({ run }: { run: RunDetails }) {
  return (
    <>
      <p>
        <Coded text={run.description} />
      </p>
      <div class="panel">
        <Table
          caption="Stages"
          rows={run.stages}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Stage', term: 'stage', cell: ({ name }) => name },
            { name: 'Steps', cell: ({ start, end }) => `${formatCount(start)} to ${formatCount(end)}` },
            { name: 'Negatives', term: 'negative', cell: ({ negatives }) => negatives.join(' + ') || 'none' },
            { name: 'Loss', term: 'loss', cell: ({ loss }) => loss },
            { name: 'Learning rate', numeric: true, cell: ({ learningRate }) => formatValue(learningRate) },
          ]}
        />
        <p class="soft small">
          Learns from the split <code>{run.split}</code> of {run.data} · made by {run.createdBy} · recipe{' '}
          <code title={run.fingerprint}>{run.fingerprint.slice(0, 12)}</code>
        </p>
      </div>
    </>
  );
}

function settingsOf(runs: readonly RunDetails[]): Row[] {
  const byPath = runs.map(({ settings }) => new Map(settings.map((setting) => [setting.path, setting])));
  const paths = new Set(runs.flatMap(({ settings }) => settings.map(({ path }) => path)));
  return [...paths]
    .filter((path) => !FOR_PEOPLE.has(path))
    .map((path) => ({
      path,
      values: byPath.map((settings) => {
        const setting = settings.get(path);
        return { text: formatValue(setting?.value), origin: setting?.origin };
      }),
    }));
}

/** Runs that were not made from the command line have not kept where their values come from. */
function hasOrigins({ settings }: RunDetails): boolean {
  return settings.some(({ origin }) => origin !== undefined);
}

function differs({ values }: Row): boolean {
  return values.some(({ text }) => text !== values[0].text);
}

function valueColumn(name: string, nth: number): Column<Row> {
  return {
    name,
    cell: ({ values }) => <span class="mono">{values[nth].text}</span>,
  };
}

const originColumn: Column<Row> = {
  name: 'Origin',
  cell: ({ values: [{ origin }] }) => (
    <span class={origin === 'default' ? 'soft' : undefined}>{origin ?? 'the recipe'}</span>
  ),
  sortBy: ({ values: [{ origin }] }) => origin ?? '',
};
