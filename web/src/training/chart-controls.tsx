import type { PageState } from './page-state.js';
import type { RunCurves } from './runs-api.js';

export interface ChartControlsProps {
  state: PageState;
  /** Curves of the runs that are shown. */
  curves: readonly RunCurves[];
  onChange: (part: Partial<PageState>) => void;
}

/** Smoothing, logarithmic loss and, for several runs, what they are compared by. */
export function ChartControls({ state, curves, onChange }: ChartControlsProps) {
  const measures = measuresOf(curves);
  const groups = [...new Set(curves.flatMap(({ groupNorms }) => Object.keys(groupNorms)))];
  return (
    <div class="chart-controls">
      <label>
        Smoothing
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={state.smoothing}
          onInput={(event) => onChange({ smoothing: Number(event.currentTarget.value) })}
        />
        <output class="mono small">{state.smoothing.toFixed(2)}</output>
      </label>
      <label>
        <input
          type="checkbox"
          checked={state.logLoss}
          onChange={(event) => onChange({ logLoss: event.currentTarget.checked })}
        />
        Logarithmic loss
      </label>
      {curves.length > 1 && measures.length > 1 && (
        <Choice
          label="Dev measure"
          values={measures}
          value={state.measure ?? measures[0]}
          onChoose={(measure) => onChange({ measure })}
        />
      )}
      {curves.length > 1 && groups.length > 0 && (
        <Choice
          label="Layer group"
          values={['all', ...groups]}
          value={state.group ?? 'all'}
          onChoose={(group) => onChange({ group: group === 'all' ? undefined : group })}
        />
      )}
    </div>
  );
}

/** Every dev measure of some runs. */
export function measuresOf(curves: readonly RunCurves[]): string[] {
  return [...new Set(curves.flatMap(({ dev }) => Object.keys(dev)))];
}

interface ChoiceProps {
  label: string;
  values: readonly string[];
  value: string;
  onChoose: (value: string) => void;
}

export function Choice({ label, values, value, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {values.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
