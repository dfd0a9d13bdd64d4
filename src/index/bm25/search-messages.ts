import type { Ranked } from '../../base/top-k.js';
import type { IndexBuffers } from './bm25-index.js';
import type { Bm25Meta } from './format.js';
import type { RankOptions } from './ranker.js';

/** What a search thread starts with: the index itself, in shared memory. */
export interface SearchWorkerData {
  meta: Bm25Meta;
  buffers: IndexBuffers;
}

export interface SearchTask {
  texts: string[];
  options: RankOptions;
}

/** The rankings of a task's texts, or why there are none. */
export type SearchAnswer = { rankings: Ranked[] } | { error: { message: string; hint: string | undefined } };
