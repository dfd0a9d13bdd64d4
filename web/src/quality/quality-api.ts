import { api, type CallOptions } from '../api.js';

export const CASE_MEASURES = ['nDCG@10', 'RR@10'] as const;

export type CaseMeasure = (typeof CASE_MEASURES)[number];

export interface Difference {
  difference: number;
  p: number;
  significant: boolean;
  wins: number;
  ties: number;
  losses: number;
}

export interface QualitySystem {
  name: 'bm25' | 'start' | 'model' | 'hybrid';
  label: string;
  means: Record<string, number>;
  against?: Record<string, Difference>;
}

export interface QualityQuery {
  id: string;
  text: string;
  values: Record<CaseMeasure, { bm25: number; model: number }>;
}

export interface Quality {
  state: 'ready';
  split: string;
  splits: string[];
  step: number;
  documents: number;
  measures: string[];
  systems: QualitySystem[];
  queries: QualityQuery[];
}

export interface QualityHit {
  id: string;
  title?: string;
  excerpt: string;
  rank: number;
  score: number;
  grade?: number;
  otherRank?: number;
}

export interface QualityCase {
  id: string;
  text: string;
  relevant: {
    id: string;
    title?: string;
    excerpt: string;
    grade: number;
    ranks: { bm25?: number; model?: number };
  }[];
  lists: { bm25: QualityHit[]; model: QualityHit[] };
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
