import { api, type CallOptions } from '../api.js';

export type RunState = 'running' | 'finished' | 'stopped';
export type Role = 'trainer' | 'inferencer';

export interface RunSummary {
  name: string;
  state: RunState;
  /** Steps taken, of `steps`. */
  step: number;
  steps: number;
  recipe: string;
  data: string;
  best?: { measure: string; value: number; step: number };
  updatedAt?: string;
}

export interface RunProcess {
  state: RunState | 'absent';
  pid?: number;
  threads?: number;
  startedAt?: string;
  lastEventAt?: string;
  activity?: string;
  encoding?: { step: number; done: number; total: number };
  problem?: string;
}

export interface Setting {
  path: string;
  value: unknown;
  origin?: string;
}

export interface Refresh {
  step: number;
  encodeSeconds: number;
  indexSeconds: number;
  searchSeconds: number;
  documents: number;
  queries: number;
  replacedShare?: number;
}

export interface Evaluation {
  step: number;
  measures: Record<string, number>;
  seconds: number;
  best: boolean;
}

export interface Checkpoint {
  step: number;
  indexed: boolean;
  mined: boolean;
  measured: boolean;
  best: boolean;
}

export interface RunDetails extends RunSummary {
  description: string;
  split: string;
  seed: number;
  fingerprint: string;
  createdBy: string;
  settings: Setting[];
  stages: {
    name: string;
    start: number;
    end: number;
    negatives: string[];
    loss: string;
    learningRate: number;
  }[];
  checkpoints: Checkpoint[];
  evaluations: Evaluation[];
  refreshes: Refresh[];
  processes: Record<Role, RunProcess>;
  indexAge?: number;
  secondsLeft?: number;
  measuredSources?: { step?: number; sources: { source: string; mean: number; toInBatch?: number }[] };
}

export interface Series {
  x: number[];
  y: number[];
  low?: number[];
  high?: number[];
}

export interface RunCurves {
  name: string;
  /** Another one whenever there are new events. */
  version: string;
  steps: number;
  stages: { name: string; start: number }[];
  loss: Series;
  gradientNorm: Series;
  groupNorms: Record<string, Series>;
  sourceNorms: Record<string, Series>;
  learningRate: Series;
  dev: Record<string, Series>;
  indexAge: Series;
  negativesVersion: Series;
  replaced: Series;
  tokensPerSecond: Series;
  documentsPerSecond: Series;
  refreshSeconds: { encode: Series; index: Series; search: Series };
}

export interface TrainingQuery {
  id: string;
  text: string;
}

export interface ShownDocument {
  id: string;
  title?: string;
  text: string;
}

export interface MinedNegatives {
  query: TrainingQuery;
  tables: { name: string; step?: number }[];
  positives: ShownDocument[];
  provenance: {
    name: string;
    source: 'ann' | 'bm25' | 'static';
    depth: number;
    index?: string;
    checkpoint?: number;
    previous?: number;
    rules: { name: string; parameters: Record<string, number> }[];
    report: {
      queries: number;
      ranked: number;
      removed: Record<string, number>;
      kept: number;
      empty: number;
      positivesFound: number;
      meanRank: number;
    };
    createdBy: string;
  };
  count: number;
  negatives: { rank: number; score?: number; document: ShownDocument; wasCandidate?: boolean }[];
  removedRanks: number[];
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
