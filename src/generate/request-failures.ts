import { NearmissError, shorten } from '../base/errors.js';

/** Why a request may succeed when it is sent again. */
export class TryAgain extends Error {
  /** As long as the service asks to be left alone. */
  readonly afterSeconds: number | undefined;

  constructor(message: string, afterSeconds?: number) {
    super(message);
    this.afterSeconds = afterSeconds;
  }
}

/** A service that is well has nothing to say about this passage. */
export class NoQueries extends TryAgain {
  /** Whether it would say the same again. */
  readonly forGood: boolean;

  constructor(message: string, { forGood = false }: { forGood?: boolean } = {}) {
    super(message);
    this.forGood = forGood;
  }
}

/** Errors by which fetch gives up by itself, whatever time it was given. */
const FETCH_GAVE_UP = ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];
const FETCH_SECONDS = 300;

/** Why no answer came. */
export function unanswered(error: Error, timeoutSeconds: number): Error {
  if (error.name === 'AbortError') return error;
  if (error.name === 'TimeoutError') return new TryAgain(`no answer within ${timeoutSeconds} s`);
  const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
  if (code !== undefined && FETCH_GAVE_UP.includes(code)) {
    return new TryAgain(`no answer within ${FETCH_SECONDS} s, which is as long as Node.js waits`);
  }
  return new TryAgain(`not reachable (${message || code})`);
}

/** What the passage may be the reason of: it is too long, or a filter of the service does not like it. */
const ABOUT_THE_PASSAGE = [400, 413, 422];

/** Why an answer is none. */
export function refusal({ status, headers }: Response, body: string, name: string): Error {
  const message = `status ${status}: ${shorten(body, 200)}`;
  if (status === 408 || status === 429 || status >= 500) {
    return new TryAgain(message, secondsIn(headers.get('retry-after')));
  }
  if (ABOUT_THE_PASSAGE.includes(status)) return new NoQueries(message, { forGood: true });
  return new NearmissError(`${name}: ${message}`, {
    hint:
      status === 401 || status === 403
        ? 'put the service’s key into the environment variable NEARMISS_GENERATOR_KEY'
        : 'check the address (it ends before /chat/completions) and --generator-model',
  });
}

/** `Retry-After` holds seconds, or a date. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}
