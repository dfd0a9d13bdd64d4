import { useEffect, useRef, useState } from 'preact/hooks';
import type { Preparation, ServerStatus } from '../../../src/serve/answers/status.js';
import { ApiError, api, newestVersion } from '../api.js';
import { Spinner } from '../components/index.js';
import { useRequest } from '../use-request.js';

const ASK_EVERY_MS = 1000;

/** Whether the server has not opened what it serves yet. */
export function isStarting(error: Error | undefined): boolean {
  return error instanceof ApiError && (error.code === 'starting' || error.status === 503);
}

/**
 * How far the server is with what it is making, e.g. vectors, and how long it will take. When it is there, everything on
 * the page is asked for anew, so that nobody has to do anything.
 */
export function PreparingBar() {
  return <PreparingNote status={usePreparing().data} />;
}

/** What the server is making; whoever listens for a newer version hears of it. */
export function usePreparing() {
  const status = useStatus();
  const { data } = status;
  const seen = useRef(data?.version);
  useEffect(() => {
    if (data?.version === undefined || data.version === seen.current) return;
    // The header and the search page listen to this.
    if (seen.current !== undefined) newestVersion.set(data.version);
    seen.current = data.version;
  }, [data?.version]);
  return status;
}

export function PreparingNote({ status: data }: { status: ServerStatus | undefined }) {
  if (!data || (isSettled(data) && data.failure === undefined)) return null;
  return (
    <div class="preparing note" role="status" aria-label="What is being made">
      {data.preparing.map((preparation) => (
        <Progress key={preparation.label} {...preparation} />
      ))}
      {data.preparing.length === 0 && !isSettled(data) && <Progress label="getting the model ready" />}
      {data.version !== undefined && data.failure === undefined && (
        <p class="soft small">
          {data.model === undefined
            ? 'Searching by words works meanwhile; what goes by meaning joins in by itself when this is done.'
            : `Searching goes on as before; ${data.model} takes over by itself when this is done.`}
        </p>
      )}
      {data.failure !== undefined && <p class="bad small">{data.failure}</p>}
    </div>
  );
}

/** In place of the page while nothing can be searched yet; goes on by itself. */
export function Opening({ onOpen }: { onOpen: () => void }) {
  const { data } = useStatus();
  useEffect(() => {
    const timer = setInterval(onOpen, ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const preparing = data?.preparing ?? [];
  if (preparing.length === 0) return <Spinner label="Asking the server what it serves" />;
  return (
    <div class="state" role="status">
      <h2>Getting ready</h2>
      {preparing.map((preparation) => (
        <Progress key={preparation.label} {...preparation} />
      ))}
      <p class="soft">The documents are being read for the first time. The page goes on by itself.</p>
    </div>
  );
}

type ProgressProps = Pick<Preparation, 'label'> & Partial<Preparation>;

function Progress({ label, unit, done, total, secondsLeft }: ProgressProps) {
  return (
    <div class="progress-line">
      <span>{nameOf(label)}</span>
      <progress value={total ? done : undefined} max={total} aria-label={nameOf(label)} />
      <span class="soft small">
        {done?.toLocaleString('en')}
        {total !== undefined && ` of ${total.toLocaleString('en')}`} {unit}
        {secondsLeft !== undefined && `, about ${timeOf(secondsLeft)} left`}
      </span>
    </div>
  );
}

function nameOf(label: string): string {
  if (label.startsWith('encode')) return 'Making vectors';
  return `${label[0].toUpperCase()}${label.slice(1)}`;
}

function timeOf(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** Asked every second, until there is nothing to wait for any more. */
function useStatus() {
  const [isDone, setIsDone] = useState(false);
  const status = useRequest('status', (signal) => api.get<ServerStatus>('/v1/status', { signal }), {
    everyMs: isDone ? undefined : ASK_EVERY_MS,
  });
  const { data } = status;
  useEffect(() => setIsDone(data?.version !== undefined && isSettled(data)), [data]);
  return status;
}

/** Whether nothing is being made that anybody would wait for. */
function isSettled({ preparing, coming, model }: ServerStatus): boolean {
  return preparing.length === 0 && !coming && model === undefined;
}
