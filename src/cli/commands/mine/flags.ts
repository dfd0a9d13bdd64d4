import type { Precision } from '../../../model/precision/precision.js';
import type { Language } from '../../../text/analyzers/analyzer.js';

export const SOURCES = ['bm25', 'model', 'run', 'static'] as const;
export const FORMATS = ['table', 'tevatron', 'flagembedding'] as const;

/** What the command line gives `nearmiss mine`. */
export interface MineFlags {
  split: string;
  source: (typeof SOURCES)[number];
  index?: string;
  language: Language;
  k1?: number;
  b?: number;
  model?: string;
  maxLength?: number;
  run?: string;
  examples?: string;
  depth: number;
  skipRanks: number;
  margin?: number;
  relativeMargin?: number;
  maxScore?: number;
  preview?: boolean;
  dropAnswers?: boolean;
  keepDuplicates?: boolean;
  out?: string;
  format: (typeof FORMATS)[number];
  negatives?: number;
  show: number;
  seed: number;
  threads?: number;
  precision?: Precision;
  overwrite?: boolean;
  json?: boolean;
}
