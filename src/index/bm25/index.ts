export { Bm25Index, type TermVector } from './bm25-index.js';
export {
  type BuildOptions,
  type BuildWeightedOptions,
  buildBm25Index,
  buildWeightedIndex,
  DEFAULT_MEMORY_MB,
  type WeightedDocument,
} from './build.js';
export type { Bm25Meta } from './format.js';
export { openBm25Index } from './open.js';
export type { WeightedQuery } from './query-terms.js';
export { Bm25Ranker, type RankOptions, type Scoring } from './ranker.js';
export { expandRm3, RM3_DEFAULTS, type Rm3Options } from './rm3.js';
export { Bm25SearchPool } from './search-pool.js';
export { Bm25Searcher, type SearcherOptions } from './searcher.js';
export {
  type Bm25Parameters,
  bm25,
  type CollectionStatistics,
  DEFAULT_B,
  DEFAULT_K1,
  impacts,
  MAX_IMPACT,
  type Similarity,
  tfIdf,
} from './similarity.js';
