import type { FoundQueries, SpacePoint } from '../../../src/serve/answers/studies.js';
import { api, type CallOptions } from '../api.js';

export type { FoundQueries, SpaceMap, SpacePicture, SpacePoint } from '../../../src/serve/answers/studies.js';

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
