import type { SearchMode } from '../api.js';
import { modeNames, modeText, whyMissing } from '../modes.js';

export interface ModeSwitchProps {
  offered: readonly SearchMode[];
  /** Others may join in. */
  isComing: boolean;
  selected: readonly SearchMode[];
  comparing: boolean;
  onSelect: (modes: SearchMode[]) => void;
  onCompare: (comparing: boolean) => void;
}

/** One mode, or several to compare. Modes that the server lacks say what it would need. */
export function ModeSwitch(props: ModeSwitchProps) {
  const { offered, isComing, selected, comparing, onSelect, onCompare } = props;
  const names = modeNames(offered);
  const toggle = (mode: SearchMode) => {
    if (!comparing) return onSelect([mode]);
    const chosen = names.filter((name) => (name === mode) !== selected.includes(name));
    return chosen.length > 0 ? onSelect(chosen) : undefined;
  };
  return (
    <div class="mode-switch">
      <fieldset>
        <legend class="visually-hidden">{comparing ? 'Compare' : 'Search with'}</legend>
        {names.map((mode) => {
          const missing = !offered.includes(mode);
          return (
            <label
              key={mode}
              class={`mode mode-${mode}`}
              title={missing ? whyMissing(mode, isComing) : modeText(mode).about}
            >
              <input
                type={comparing ? 'checkbox' : 'radio'}
                name="mode"
                value={mode}
                checked={selected.includes(mode)}
                disabled={missing}
                onChange={() => toggle(mode)}
              />
              <span>{modeText(mode).label}</span>
            </label>
          );
        })}
      </fieldset>
      {offered.length > 1 && (
        <label class="switch">
          <input
            type="checkbox"
            checked={comparing}
            onChange={(event) => onCompare(event.currentTarget.checked)}
          />
          <span>Compare</span>
        </label>
      )}
    </div>
  );
}
