export type {
  ExportResult,
  LiveLimits,
  LiveSearcher,
  PendingWrites,
  RemoveResult,
  UpsertResult,
} from './live-searcher.js';
export { type OpenLiveOptions, openLiveSearcher } from './open.js';
