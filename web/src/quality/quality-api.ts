import type { QualityCase } from '../../../src/serve/answers/studies.js';
import { api, type CallOptions } from '../api.js';

export { CASE_MEASURES, type CaseMeasure } from '../../../src/analyze/quality/quality.js';
export type {
  Quality,
  QualityCase,
  QualityDifference,
  QualityHit,
  QualityQuery,
  QualitySystem,
} from '../../../src/serve/answers/studies.js';

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
