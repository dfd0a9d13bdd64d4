import type { SpacePoint, SpacePicture as StoredPicture } from '../../../src/analyze/space/space-picture.js';
import { api, type CallOptions } from '../api.js';

export type { SpaceMap, SpacePoint } from '../../../src/analyze/space/space-picture.js';

export interface SpacePicture extends StoredPicture {
  state: 'ready';
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
