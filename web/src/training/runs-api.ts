import type {
  MinedNegatives,
  RunCurves,
  RunDetails,
  RunList,
  TrainingQueries,
} from '../../../src/serve/answers/runs.js';
import type { MiningPreview, Training, TrainingsAnswer } from '../../../src/serve/answers/trainings.js';
import { api, type CallOptions, type SearchAnswer } from '../api.js';

export type {
  MinedNegatives,
  ProcessDetails,
  RunCurves,
  RunDetails,
  RunState,
  RunSummary,
  Series,
  ShownDocument,
} from '../../../src/serve/answers/runs.js';
export type { Training, TrainingsAnswer } from '../../../src/serve/answers/trainings.js';

/** The processes of a run. */
export type Role = keyof RunDetails['processes'];

export type TrainingQuery = TrainingQueries['queries'][number];

const pathOf = (run: string) => `/v1/runs/${encodeURIComponent(run)}`;

/** Rules of mining to look at; what is left out is off. */
export interface MiningChoice {
  split: string;
  mode: string;
  skipRanks?: number;
  relativeMargin?: number;
  margin?: number;
}

export interface Paged {
  offset?: number;
  limit?: number;
}

export const runsApi = {
  list: (options?: CallOptions) => api.get<RunList>('/v1/runs', options),
  trainings: (options?: CallOptions) => api.get<TrainingsAnswer>('/v1/trainings', options),
  start: (choice: { run: string; kind?: Training['kind']; recipe?: string; split?: string }) =>
    api.post<Training>('/v1/trainings', choice),
  /** The documents as a run's model finds them. */
  search: (
    run: string,
    query: { q: string; mode: string; k: number; model?: 'start' },
    options?: CallOptions,
  ) => api.get<SearchAnswer>(`${pathOf(run)}/search`, { ...options, query }),
  previewRules: (choice: MiningChoice) => api.post<MiningPreview>('/v1/negatives/preview', choice),
  stop: (run: string) => api.delete<Training>(`/v1/trainings/${encodeURIComponent(run)}`),
  details: (run: string, options?: CallOptions) => api.get<RunDetails>(pathOf(run), options),
  /** The browser asks with the tag of its last answer; as long as nothing happened the server sends nothing. */
  curves: (run: string, options?: CallOptions) => api.get<RunCurves>(`${pathOf(run)}/curves`, options),
  queries: (run: string, query: { text?: string } & Paged, options?: CallOptions) =>
    api.get<TrainingQueries>(`${pathOf(run)}/queries`, {
      ...options,
      query: { ...query },
    }),
  negatives: (run: string, query: { query: string; table?: string } & Paged, options?: CallOptions) =>
    api.get<MinedNegatives>(`${pathOf(run)}/negatives`, { ...options, query: { ...query } }),
};
