import type { TargetedKeyboardEvent } from 'preact';

export interface TabsProps<T extends string> {
  /** What the tabs choose between, for a screen reader. */
  label: string;
  tabs: readonly { value: T; label: string }[];
  selected: T;
  onSelect: (value: T) => void;
  /** The id of the panel that the tabs fill. */
  panel?: string;
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** One stop for the Tab key; the arrow keys move within. */
export function Tabs<T extends string>({ label, tabs, selected, onSelect, panel }: TabsProps<T>) {
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const now = tabs.findIndex(({ value }) => value === selected);
    const next = (now + step + tabs.length) % tabs.length;
    onSelect(tabs[next].value);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.value}
          type="button"
          role="tab"
          aria-selected={tab.value === selected}
          aria-controls={panel}
          tabIndex={tab.value === selected ? 0 : -1}
          onClick={() => onSelect(tab.value)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
