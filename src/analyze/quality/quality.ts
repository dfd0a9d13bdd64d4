import type { DocumentExcerpt } from '../document-excerpt.js';

/** Systems that are compared; those that a run cannot give are left out. */
export const QUALITY_SYSTEMS = ['bm25', 'base', 'start', 'model', 'hybrid'] as const;

export type QualitySystemName = (typeof QUALITY_SYSTEMS)[number];

/** Cases are compared by what is on the first page: all of it, or the first good answer. */
export const CASE_MEASURES = ['nDCG@10', 'RR@10'] as const;

export type CaseMeasure = (typeof CASE_MEASURES)[number];

/** One system against BM25 by one measure. */
export interface QualityDifference {
  difference: number;
  /** Of the paired t-test, corrected (Holm) over the systems. */
  p: number;
  /** p < .05. */
  significant: boolean;
  wins: number;
  ties: number;
  losses: number;
}

export interface QualitySystem {
  name: QualitySystemName;
  /** For people, e.g. `model, step 300`. */
  label: string;
  /** By measure. */
  means: Record<string, number>;
  /** Against BM25, by measure; absent for BM25 itself and where only means are known. */
  against?: Record<string, QualityDifference>;
}

/** What BM25 and the model reach on one query. */
export interface QualityQuery {
  id: string;
  text: string;
  values: Record<CaseMeasure, { bm25: number; model: number }>;
}

/** How good a run's model is beside others: everything but the result lists. */
export interface Quality {
  format: 2;
  split: string;
  step: number;
  documents: number;
  measures: string[];
  systems: QualitySystem[];
  /** In byte order of their ids. */
  queries: QualityQuery[];
}

/** A document in a result list. */
export interface QualityHit extends DocumentExcerpt {
  /** From 1. */
  rank: number;
  score: number;
  /** Absent where nobody has judged it for the query. */
  grade?: number;
  /** Its rank in the other list, as deep as was searched. */
  otherRank?: number;
}

/** A document that answers a query, and where each system has it, as deep as was searched. */
export interface RelevantDocument extends DocumentExcerpt {
  grade: number;
  ranks: { bm25?: number; model?: number };
}

/** One query with what BM25 and the model find for it. */
export interface QualityCase {
  id: string;
  text: string;
  relevant: RelevantDocument[];
  lists: { bm25: QualityHit[]; model: QualityHit[] };
}
