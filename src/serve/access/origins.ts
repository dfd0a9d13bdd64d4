import { UsageError } from '../../base/errors.js';

/** Pages of every origin. */
export const ANY_ORIGIN = '*';

/** An origin as browsers send it, e.g. `https://app.example.com`: the host in lower case, no usual port, no slash. */
export function parseOrigin(text: string): string {
  if (text === ANY_ORIGIN) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWhole = url !== undefined && url.host !== '' && /^\/?$/.test(url.pathname) && !/[?#@]/.test(text);
  if (isWhole) return `${url.protocol}//${url.host}`;
  throw new UsageError(`--cors: expected an origin such as https://app.example.com, or *, got "${text}"`, {
    hint: 'an origin is a scheme, a host and, if it is not the usual one, a port; paths do not belong to it',
  });
}

/** Whether pages of an origin may use the API. */
export function isAllowed(origin: string, origins: readonly string[]): boolean {
  return origins.includes(ANY_ORIGIN) || origins.includes(origin);
}
