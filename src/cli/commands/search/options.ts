import type { Precision } from '../../../model/precision/precision.js';
import type { SearchMode } from '../../../search/retrievers/retriever.js';

/** The command's flags, as commander gives them. */
export interface SearchFlags {
  mode?: SearchMode;
  compare?: SearchMode[];
  model?: string;
  data?: string;
  reranker?: string;
  rerankDepth?: number;
  rerankFirst?: SearchMode;
  fusion?: 'rrf' | 'linear';
  weights?: number[];
  cache?: string;
  filter?: string[];
  explain?: boolean;
  groupBy?: string;
  queries?: string;
  split?: string;
  run?: string;
  tag?: string;
  tune?: string;
  measure?: string;
  k: number;
  threads?: number;
  provider?: string;
  precision?: Precision;
  json?: boolean;
}
