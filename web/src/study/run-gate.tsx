import './study.css';
import type { ComponentType } from 'preact';
import { EmptyState, ErrorState, Spinner } from '../components/index.js';
import { Link, navigate, pathWith, placeNow, usePlace } from '../router.js';
import { useServerInfo } from '../server-info.js';

/** Shows a page about one run: the one of the address, else the one that is served, else the first. Without runs it says how to get one. */
export function RunGate({ page: Page }: { page: ComponentType<{ run: string }> }) {
  const info = useServerInfo();
  const { params } = usePlace();
  if (info.error && !info.data) return <ErrorState error={info.error} onRetry={info.reload} />;
  if (!info.data) return <Spinner label="Asking the server for its runs" />;
  const run = params.get('run') ?? info.data.run ?? info.data.runs[0];
  if (run === undefined) {
    return (
      <EmptyState title="Nothing has been trained here yet" isPage>
        <p>This page looks into a training: what it has learned, and from what.</p>
        {info.data.trainable ? (
          <p>
            <Link href="/training">Train or adapt a model</Link> on these documents, and come back.
          </p>
        ) : (
          <p>This server trains nothing. One that is started on a run shows it here.</p>
        )}
      </EmptyState>
    );
  }
  return <Page key={run} run={run} />;
}

/** Chooses between the runs of the server; a single one needs no choice. */
export function RunSelect({ run }: { run: string }) {
  const { path } = usePlace();
  const runs = useServerInfo().data?.runs ?? [];
  if (runs.length < 2) return null;
  return (
    <label class="field">
      Run
      <select value={run} onChange={(event) => navigate(pathWith(path, { run: event.currentTarget.value }))}>
        {runs.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** Changes some parameters of the address and keeps the others. */
export function changeParams(
  change: Record<string, string | undefined>,
  options?: { replace?: boolean },
): void {
  const params = Object.fromEntries(new URLSearchParams(location.search));
  navigate(pathWith(placeNow().path, { ...params, ...change }), options);
}
