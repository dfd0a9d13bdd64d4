import type { SearchMode } from './api.js';

export interface ModeText {
  label: string;
  /** What it goes by, in a few words. */
  about: string;
  /** What a server that does not offer it lacks. */
  missing: string;
}

export const MODES: Record<SearchMode, ModeText> = {
  bm25: {
    label: 'BM25',
    about: 'the words of the query, rare ones first',
    missing: 'needs the documents’ texts',
  },
  dense: {
    label: 'Dense',
    about: 'vectors from the trained model: meaning, not spelling',
    missing: 'needs a model: serve a run, or give --model',
  },
  hybrid: {
    label: 'Hybrid',
    about: 'BM25 and dense, fused',
    missing: 'needs a model: serve a run, or give --model',
  },
  cascade: {
    label: 'Cascade',
    about: 'the best candidates, read again by a cross-encoder',
    missing: 'needs a cross-encoder: serve with --reranker',
  },
};

export const MODE_NAMES = Object.keys(MODES) as SearchMode[];
