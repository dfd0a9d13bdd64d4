import { useEffect } from 'preact/hooks';
import { api, newestVersion, type ServerInfo } from './api.js';
import { createStore, useStore } from './store.js';
import { type Requested, useRequest } from './use-request.js';

/** Runs whose documents are the served ones, as the header has heard last. */
export const runsOfCollection = createStore<readonly string[]>([]);

let pending: { answer: Promise<ServerInfo>; at: number; version: string | undefined } | undefined;

/**
 * What the server offers, asked again when an answer comes from another version of its index: a new model brings new
 * ways of searching. Parts of the page that ask at the same time share one request.
 */
export function useServerInfo(): Requested<ServerInfo> {
  const version = useStore(newestVersion);
  const info = useRequest('info', () => {
    if (!pending || pending.version !== version || Date.now() - pending.at > 1000) {
      pending = { answer: api.info(), at: Date.now(), version };
    }
    pending.answer.catch(() => {
      pending = undefined;
    });
    return pending.answer;
  });
  const told = info.data?.version;
  useEffect(() => {
    if (info.data) runsOfCollection.set(info.data.runsOfCollection);
  }, [info.data]);
  useEffect(() => {
    if (version !== undefined && told !== undefined && version !== told) info.reload();
  }, [version, told]);
  return info;
}
