import { ApiError } from '../api.js';
import { keyWanted } from '../api-key.js';
import { Button } from './button.js';

export interface ErrorStateProps {
  error: Error;
  onRetry?: () => void;
}

/** What went wrong, what to do, and a button that does it. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const { title, hint } = explain(error);
  const needsKey = error instanceof ApiError && error.status === 401;
  return (
    <div class="state state-error" role="alert">
      <h2>{title}</h2>
      <div class="state-text">
        {title !== error.message && <p>{error.message}</p>}
        {hint && <p>{hint}</p>}
        {error instanceof ApiError && error.requestId && (
          <p class="soft small">
            Request <code>{error.requestId}</code>
          </p>
        )}
      </div>
      {needsKey ? (
        <Button kind="primary" onClick={() => keyWanted.set(true)}>
          Enter an API key
        </Button>
      ) : (
        onRetry && <Button onClick={onRetry}>Try again</Button>
      )}
    </div>
  );
}

function explain(error: Error): { title: string; hint?: string } {
  if (!(error instanceof ApiError)) {
    return {
      title: 'This page has a fault',
      hint: 'Load it again; if it stays, please report it with the message above.',
    };
  }
  const { status, hint, retryAfter } = error;
  if (status === 0) return { title: 'No server', hint };
  if (status === 401) return { title: 'This server wants an API key', hint };
  if (status === 403) return { title: 'This key may not do that', hint };
  if (status === 404) return { title: 'Not here', hint };
  if (status === 429 || status === 503) {
    const wait = retryAfter === undefined ? 'in a moment' : `in ${retryAfter} s`;
    return { title: 'The server is busy', hint: hint ?? `Try again ${wait}.` };
  }
  if (status === 504) return { title: 'That took too long', hint };
  return { title: status >= 500 ? 'The server failed' : error.message, hint };
}
