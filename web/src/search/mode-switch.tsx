import type { SearchMode } from '../api.js';
import { MODE_NAMES, MODES } from '../modes.js';

export interface ModeSwitchProps {
  offered: readonly SearchMode[];
  selected: readonly SearchMode[];
  comparing: boolean;
  onSelect: (modes: SearchMode[]) => void;
  onCompare: (comparing: boolean) => void;
}

/** One mode, or several to compare. Modes that the server lacks say what it would need. */
export function ModeSwitch({ offered, selected, comparing, onSelect, onCompare }: ModeSwitchProps) {
  const toggle = (mode: SearchMode) => {
    if (!comparing) return onSelect([mode]);
    const chosen = MODE_NAMES.filter((name) => (name === mode) !== selected.includes(name));
    return chosen.length > 0 ? onSelect(chosen) : undefined;
  };
  return (
    <div class="mode-switch">
      <fieldset>
        <legend class="visually-hidden">{comparing ? 'Compare' : 'Search with'}</legend>
        {MODE_NAMES.map((mode) => {
          const missing = !offered.includes(mode);
          return (
            <label
              key={mode}
              class={`mode mode-${mode}`}
              title={missing ? MODES[mode].missing : MODES[mode].about}
            >
              <input
                type={comparing ? 'checkbox' : 'radio'}
                name="mode"
                value={mode}
                checked={selected.includes(mode)}
                disabled={missing}
                onChange={() => toggle(mode)}
              />
              <span>{MODES[mode].label}</span>
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
