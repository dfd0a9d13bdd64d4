import { createStore, useStore } from './store.js';

export type Theme = 'light' | 'dark';

const KEY = 'nearmiss-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const theme = createStore<Theme>(shownTheme());

system.addEventListener('change', () => theme.set(shownTheme()));

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}

function shownTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : systemTheme();
}

/** The theme on screen: for drawings on a canvas, which CSS cannot reach. */
export function useTheme(): Theme {
  return useStore(theme);
}

/** Choosing what the system says anyway means following the system again. */
function chooseTheme(chosen: Theme): void {
  const followsSystem = chosen === systemTheme();
  if (followsSystem) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  try {
    if (followsSystem) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Storage is switched off: the choice holds until the page is closed.
  }
  theme.set(chosen);
}

export function ThemeToggle() {
  const shown = useTheme();
  const other = shown === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Switch to the ${other} theme`}
      title={`Switch to the ${other} theme`}
      onClick={() => chooseTheme(other)}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        {shown === 'dark' ? (
          <path
            d="M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10Zm0-5v3m0 14v3M4.9 4.9 7 7m10 10 2.1 2.1M2 12h3m14 0h3M4.9 19.1 7 17M17 7l2.1-2.1"
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
            stroke-linecap="round"
          />
        ) : (
          <path
            d="M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5Z"
            fill="none"
            stroke="currentColor"
            stroke-width="1.8"
            stroke-linejoin="round"
          />
        )}
      </svg>
    </button>
  );
}
