export {
  ChangedCollectionError,
  type MinedNegative,
  type NegativesOfQuery,
  type NegativesTable,
  negativesOf,
  negativesTables,
} from './mined-negatives.js';
export { RunCollection } from './run-collection.js';
export { type RunCurves, runCurvesOf } from './run-curves.js';
export { describeRun, type RunDetails } from './run-details.js';
export { type RunState, type RunSummary, summarizeRun } from './run-state.js';
export { WatchedRun } from './watched-run.js';
