import { formatCount, formatMeasure } from './format.js';
import type { RunState, RunSummary } from './runs-api.js';
import { Swatch } from './swatch.js';

export interface RunListProps {
  runs: readonly RunSummary[];
  unreadable: readonly string[];
  /** Name → colour of those that are shown. */
  chosen: ReadonlyMap<string, string>;
  onChoose: (names: string[]) => void;
}

/** A click shows a run alone; its box lays it over the others. */
export function RunList({ runs, unreadable, chosen, onChoose }: RunListProps) {
  const names = [...chosen.keys()];
  const toggle = (name: string) => {
    const others = names.filter((other) => other !== name);
    if (!chosen.has(name)) onChoose([...names, name]);
    else if (others.length > 0) onChoose(others);
  };
  return (
    <section class="run-list" aria-labelledby="runs-title">
      <h2 id="runs-title">Runs</h2>
      <ul>
        {runs.map((run) => (
          <li key={run.name} class={chosen.has(run.name) ? 'run chosen' : 'run'}>
            <input
              type="checkbox"
              aria-label={`Compare ${run.name}`}
              checked={chosen.has(run.name)}
              disabled={chosen.has(run.name) && names.length === 1}
              onChange={() => toggle(run.name)}
            />
            <button
              type="button"
              onClick={() => onChoose([run.name])}
              aria-pressed={isAlone(run.name, names)}
            >
              <span class="run-name">
                <Swatch colour={chosen.get(run.name)} />
                <span>{run.name}</span>
                <StateBadge state={run.state} />
              </span>
              <span class="soft small">
                {run.recipe} · {formatCount(run.step)}
                {run.step < run.steps && ` of ${formatCount(run.steps)}`} steps
                {run.best && ` · ${run.best.measure} ${formatMeasure(run.best.value)}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {unreadable.length > 0 && (
        <p class="small bad">Cannot be read: {unreadable.join(', ')}. The server's log says why.</p>
      )}
    </section>
  );
}

function isAlone(name: string, chosen: readonly string[]): boolean {
  return chosen.length === 1 && chosen[0] === name;
}

export function StateBadge({ state }: { state: RunState }) {
  return <span class={`badge badge-${state}`}>{state}</span>;
}
