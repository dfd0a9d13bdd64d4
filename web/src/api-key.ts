import { createStore } from './store.js';

const STORAGE = 'nearmiss-key';

/** The API key that the reader typed; forgotten when the tab is closed. */
export const apiKey = createStore<string | undefined>(stored());

/** Whether the server asked for a key that it did not get (or not a good one). */
export const keyWanted = createStore(false);

apiKey.subscribe((key) => {
  try {
    if (key) sessionStorage.setItem(STORAGE, key);
    else sessionStorage.removeItem(STORAGE);
  } catch {
    // Storage is switched off: the key holds until the page is loaded anew.
  }
});

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(STORAGE) ?? undefined;
  } catch {
    return undefined;
  }
}
