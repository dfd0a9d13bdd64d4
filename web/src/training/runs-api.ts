import type { Series } from '../../../src/analyze/series.js';
import type {
  NegativesOfQuery,
  NegativesTable,
  ShownDocument,
} from '../../../src/analyze/watch/mined-negatives.js';
import type { RunCurves as StoredCurves } from '../../../src/analyze/watch/run-curves.js';
import type { ProcessDetails, RunDetails as StoredDetails } from '../../../src/analyze/watch/run-details.js';
import type { RunState, RunSummary as StoredSummary } from '../../../src/analyze/watch/run-state.js';
import type { Role } from '../../../src/run/events.js';
import { api, type CallOptions } from '../api.js';

export type { ProcessDetails, Role, RunState, Series, ShownDocument };

/** What the server knows a run by. */
interface Named {
  name: string;
}

export type RunSummary = StoredSummary & Named;
export type RunDetails = StoredDetails & Named;

/** The version is another one whenever there are new events. */
export type RunCurves = StoredCurves & Named & { version: string };

export interface TrainingQuery {
  id: string;
  text: string;
}

export interface MinedNegatives extends NegativesOfQuery {
  query: TrainingQuery;
  tables: NegativesTable[];
}

const pathOf = (run: string) => `/v1/runs/${encodeURIComponent(run)}`;

export interface Paged {
  offset?: number;
  limit?: number;
}

export const runsApi = {
  list: (options?: CallOptions) => api.get<{ runs: RunSummary[]; unreadable: string[] }>('/v1/runs', options),
  details: (run: string, options?: CallOptions) => api.get<RunDetails>(pathOf(run), options),
  /** The browser asks with the tag of its last answer; as long as nothing happened the server sends nothing. */
  curves: (run: string, options?: CallOptions) => api.get<RunCurves>(`${pathOf(run)}/curves`, options),
  queries: (run: string, query: { text?: string } & Paged, options?: CallOptions) =>
    api.get<{ queries: TrainingQuery[]; more: boolean }>(`${pathOf(run)}/queries`, {
      ...options,
      query: { ...query },
    }),
  negatives: (run: string, query: { query: string; table?: string } & Paged, options?: CallOptions) =>
    api.get<MinedNegatives>(`${pathOf(run)}/negatives`, { ...options, query: { ...query } }),
};
