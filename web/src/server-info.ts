import { api, type ServerInfo } from './api.js';
import { type Requested, useRequest } from './use-request.js';

let pending: { answer: Promise<ServerInfo>; at: number } | undefined;

/** What the server offers. Parts of the page that ask at the same time share one request. */
export function useServerInfo(): Requested<ServerInfo> {
  return useRequest('info', () => {
    if (!pending || Date.now() - pending.at > 1000) pending = { answer: api.info(), at: Date.now() };
    pending.answer.catch(() => {
      pending = undefined;
    });
    return pending.answer;
  });
}
