export {
  type FusionMethod,
  type FusionMethodOptions,
  type Normalization,
  normalizeScores,
  RRF_K,
} from './columns.js';
export { type FuseOptions, fuseRankings, fuseRuns } from './fuse.js';
export { type TunedWeights, type TuneOptions, tuneWeights } from './tune.js';
