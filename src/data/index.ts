export type {
  Dataset,
  Document,
  Judgment,
  Qrels,
  Query,
  ScoredId,
  TrainingExample,
} from './dataset.js';
export { fullText } from './dataset.js';
export { IdTable } from './id-table.js';
export { type OpenOptions, openDataset } from './open.js';
export { formatProblem, type OnProblem, type Problem } from './problem.js';
export { type QrelsFormat, readQrels, writeQrels } from './qrels.js';
export { FOLDER_EXTENSIONS, type OpenFolderOptions, openFolder } from './readers/folder.js';
export {
  documentTexts,
  fingerprintTexts,
  type OpenTokenCacheOptions,
  openTokenCache,
  queryTexts,
  type TextSource,
} from './token-cache.js';
export { TokenCache } from './token-cache-reader.js';
export type { TextRecord } from './token-cache-writer.js';
