import { NearmissError } from '../../base/errors.js';

/** Something that may go better if tried again: a broken connection, a busy server. */
export class TemporaryFailure extends Error {}

/** Which model is being fetched from where, for messages. */
export interface HubRequest {
  id: string;
  revision: string;
  endpoint: string;
  hasToken: boolean;
}

/** Turns a response that is not a success into the error to throw. */
export function refusal(request: HubRequest, response: Response, what: string): Error {
  const { id, revision, endpoint, hasToken } = request;
  const code = response.headers.get('x-error-code');
  const page = `${endpoint}/${id}`;
  if (response.status === 429 || response.status >= 500) {
    return new TemporaryFailure(`the server answered ${response.status} ${response.statusText}`);
  }
  if (code === 'GatedRepo' || response.status === 403) {
    return new NearmissError(`${id}: access is restricted (${response.status})`, {
      hint: `accept the model's terms at ${page}, then set HF_TOKEN to an access token of that account`,
    });
  }
  if (response.status === 401) {
    return new NearmissError(`${id}: no such model, or it is private (401)`, {
      hint: hasToken
        ? 'check the spelling, and that HF_TOKEN is valid and may read the model'
        : 'check the spelling; for a private or gated model set HF_TOKEN to an access token',
    });
  }
  if (response.status === 404) {
    const missing = code === 'RevisionNotFound' ? `no revision "${revision}"` : `${what} does not exist`;
    return new NearmissError(`${id}: ${missing} (404)`, {
      hint: `check the spelling of the model (organisation/name) and the revision at ${page}`,
    });
  }
  return new NearmissError(`${id}: ${what}: the server answered ${response.status} ${response.statusText}`, {
    hint: `see whether ${page} opens in a browser`,
  });
}

/** The error for a hub that cannot be reached at all. */
export function unreachable({ id, endpoint }: HubRequest, error: unknown): NearmissError {
  return new NearmissError(
    `${id}: cannot download: ${endpoint} cannot be reached (${networkReason(error)})`,
    {
      hint:
        'connect to the network or set HF_ENDPOINT to a mirror; or copy the model folder to this machine and give ' +
        'its path; or use "minilm", which comes with nearmiss and needs no network',
      cause: error,
    },
  );
}

/** The system's reason behind fetch's "fetch failed". */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof AggregateError && cause.errors.length > 0) return networkReason(cause.errors[0]);
  return cause instanceof Error ? cause.message : String(cause);
}
