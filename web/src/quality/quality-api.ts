import type { QualityCase, Quality as StoredQuality } from '../../../src/analyze/quality/quality.js';
import { api, type CallOptions } from '../api.js';

export {
  CASE_MEASURES,
  type CaseMeasure,
  type QualityCase,
  type QualityDifference,
  type QualityHit,
  type QualityQuery,
  type QualitySystem,
} from '../../../src/analyze/quality/quality.js';

export interface Quality extends StoredQuality {
  state: 'ready';
  splits: string[];
}

export function qualityPath(run: string): string {
  return `/v1/runs/${encodeURIComponent(run)}/quality`;
}

export function readCase(
  run: string,
  query: { query: string; split: string; step: number },
  options: CallOptions,
): Promise<QualityCase> {
  return api.get(`${qualityPath(run)}/cases`, { ...options, query });
}
