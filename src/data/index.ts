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
export type { DistributionSummary } from './distribution.js';
export type { FormatName } from './format-names.js';
export { IdTable } from './id-table.js';
export { type OpenOptions, openDataset } from './open.js';
export { formatProblem, type OnProblem, type Problem } from './problem.js';
export { type QrelsFormat, readQrels, writeQrels } from './qrels.js';
export type { FieldNames } from './readers/fields.js';
export { FOLDER_EXTENSIONS, type OpenFolderOptions, openFolder } from './readers/folder.js';
export { ResplitDataset } from './resplit.js';
export { type SampleOptions, sampleDataset } from './sample.js';
export { type SplitBy, type SplitOptions, type SplitResult, splitDataset } from './split.js';
export { type DatasetStats, datasetStats, type SplitOverlap, splitOverlaps } from './stats.js';
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
export { type ValidateOptions, type ValidationReport, validateDataset } from './validate.js';
export { DatasetView, type ViewOptions } from './view.js';
export { openReverseDictionary, type ReverseDictionaryOptions, TOPICS, type Topic } from './wordnet/index.js';
export { type WriteBeirOptions, type WrittenCounts, writeBeir } from './writers/beir.js';
export { type WriteMsmarcoOptions, writeMsmarco } from './writers/msmarco.js';
