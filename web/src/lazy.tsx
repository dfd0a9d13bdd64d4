import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorState, Spinner } from './components/index.js';

/** A page whose code is fetched when it is first opened, so that the search page stays small. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function LazyPage() {
    const [page, setPage] = useState<{ component?: ComponentType; error?: Error }>({ component: loaded });
    const [round, setRound] = useState(0);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (component) => {
          loaded = component;
          setPage({ component });
        },
        (error: Error) => setPage({ error }),
      );
    }, [round]);
    if (page.error) return <ErrorState error={page.error} onRetry={() => setRound(round + 1)} />;
    const Component = page.component;
    return Component ? <Component /> : <Spinner label="Loading the page" />;
  };
}
