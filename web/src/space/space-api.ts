import type { PointKind } from '../../../src/analyze/space/kinds.js';
import { api, type CallOptions } from '../api.js';

export interface SpacePoint {
  kind: PointKind;
  id: string;
  title?: string;
  excerpt: string;
  ranks: { ann?: number; bm25?: number };
}

export interface SpaceMap {
  step: number;
  x: number[];
  y: number[];
  scores: (number | null)[];
}

export interface SpacePicture {
  state: 'ready';
  query: { id: string; text: string; splits: string[] };
  method: string;
  step: number;
  points: SpacePoint[];
  maps: SpaceMap[];
}

export interface FoundQueries {
  split: string;
  splits: string[];
  queries: { id: string; text: string }[];
  more: boolean;
}

export function findQueries(
  run: string,
  query: { split?: string; text?: string },
  options: CallOptions,
): Promise<FoundQueries> {
  return api.get(`/v1/runs/${encodeURIComponent(run)}/space/queries`, { ...options, query });
}

/** What a point is called in lists. */
export function nameOf({ title, excerpt, id }: SpacePoint): string {
  return title ?? (excerpt || id);
}
