import { useEffect, useState } from 'preact/hooks';

/** A value that several parts of the page share; those that use it are drawn again when it changes. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** Returns what ends the subscription. */
  subscribe(listener: (value: T) => void): () => void;
}

export function createStore<T>(initial: T): Store<T> {
  let current = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    // The store may have changed between drawing and subscribing.
    setValue(store.get());
    return store.subscribe(setValue);
  }, [store]);
  return value;
}
